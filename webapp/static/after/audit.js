// The pad of a game: what was typed into it stays when the language changes.

import { keepDraft } from '../draft.js';

keepDraft(document.getElementById('pads'), location.pathname);
