// What the pages of the games say and do alike.

import { html } from '../draw.js';
import { points } from '../draw.js';
import { t } from '../i18n.js';

export { points };

export const place = ([row, col]) => t('row %(row)s, column %(column)s', { row: row + 1, column: col + 1 });
/** Text that only a screen reader tells. */
export const hidden = (text) => html('span', { class: 'visually-hidden' }, text);

export const sameCell = ([row, col], [otherRow, otherCol]) => row === otherRow && col === otherCol;

/** Who has won with how many points, in a few words. */
export function verdict(result) {
  const won = result.filter(({ winner }) => winner);
  if (result.length === 1) return t('%(name)s has %(points)s.', { name: result[0].player, points: points(result[0].score) });
  if (!won.length) return t('Nobody has won.');
  const values = { name: won[0].player, names: won.map(({ player }) => player).join(', '), points: points(won[0].score) };
  return won.length === 1 ? t('%(name)s wins with %(points)s!', values) : t('%(names)s share the win with %(points)s!', values);
}

/** The rows in the order of the places once the game is over, else as they sit. */
export function inOrder(rows, result, isOver) {
  const rank = new Map(result.map((row) => [row.player, row.rank]));
  return isOver ? [...rows].sort((a, b) => rank.get(a.name) - rank.get(b.name)) : rows;
}

/** Runs *draw* and gives the focus back to the element with the same `data-key`, which was made anew. */
export function keepingFocus(root, draw) {
  const key = root.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  draw();
  if (key) root.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}
