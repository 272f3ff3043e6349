// What the pages of the games say and do alike.

import { html } from '../draw.js';
import { t } from '../i18n.js';

export { points } from '../draw.js';

export const place = ([row, col]) => t('row %(row)s, column %(column)s', { row: row + 1, column: col + 1 });
/** Text that only a screen reader tells. */
export const hidden = (text) => html('span', { class: 'visually-hidden' }, text);

export const sameCell = ([row, col], [otherRow, otherCol]) => row === otherRow && col === otherCol;

/** Runs *draw* and gives the focus back to the element with the same `data-key`, which was made anew. */
export function keepingFocus(root, draw) {
  const key = root.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  draw();
  if (key) root.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}
