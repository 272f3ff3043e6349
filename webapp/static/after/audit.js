// The pad of a game: what was typed into it stays until it is sent.

import { keepDraft } from '../draft.js';

keepDraft(document.getElementById('pads'));
