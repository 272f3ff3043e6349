// A new game of a quick look: its photo is kept with the game, and the board that was read and corrected is laid out.

import { ask } from './api.js';
import { t } from './i18n.js';
import { carried } from './handover.js';
import { forget } from './keep.js';
import { Grid } from './review/grid.js';

/** Whose board it is: null where all share one. */
const seatOf = ({ kind, view, you }) => (kind === 'seasons' || (kind === 'custom' && !view.shared) ? you.seat ?? 0 : null);

/**
 * Brings what is carried into a game that this tab has just started.
 * @param act does an action of the game
 * @returns what is to be said; nothing if nothing was to be carried
 */
export async function bringAlong(game, act) {
  const brought = await carried(game.kind);
  if (brought === undefined) return '';
  if (!brought) return t('The photo of the quick look is not there any more: photograph the board again.');
  const { file, grid: saved, about } = brought;
  const grid = Grid.from(saved);
  const seat = seatOf(game);
  const form = new FormData();
  form.append('photo', file, 'photo');
  form.append('board', game.kind);
  for (const [name, value] of Object.entries({ seat, ...about.shape })) {
    if (value !== null && value !== undefined) form.append(name, value);
  }
  const { photo } = await ask(`/api/games/${game.code}/photos`, { method: 'POST', body: form });
  await act({ type: 'board', seat, text: grid.text, photo, corrections: grid.corrections, answers: grid.answers, turns: grid.turns % 4 });
  forget();
  return t('The photo and its board are in this game now.');
}
