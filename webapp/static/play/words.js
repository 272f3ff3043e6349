// What the pages of the games say and do alike.

import { t } from '../i18n.js';

export const SEASONS = ['spring', 'summer', 'autumn', 'winter'];
export const SEASON = { spring: t('spring'), summer: t('summer'), autumn: t('autumn'), winter: t('winter') };

export const place = ([row, col]) => t('row %(row)s, column %(column)s', { row: row + 1, column: col + 1 });

export const sameCell = ([row, col], [otherRow, otherCol]) => row === otherRow && col === otherCol;

/** The rows in the order of the places once the game is over, else as they sit. */
export function inOrder(rows, result, isOver) {
  const rank = new Map(result.map((row) => [row.player, row.rank]));
  return isOver ? [...rows].sort((a, b) => rank.get(a.name) - rank.get(b.name)) : rows;
}
