// Shifting Stones in words: names of stones, cells and cards in the language of the page.

import { rowsOf } from '../draw.js';
import { t, tn } from '../i18n.js';

export const STONES = {
  sun: t('sun'),
  moon: t('moon'),
  fish: t('fish'),
  bird: t('bird'),
  horse: t('horse'),
  boat: t('boat'),
  seed: t('seed'),
  tree: t('tree'),
  '.': t('empty'),
};

export const place = ([row, col]) => t('row %(row)s, column %(column)s', { row: row + 1, column: col + 1 });

export const points = (n) => tn('%(n)s point', '%(n)s points', n);

export const discards = (n) => tn('%(n)s discard', '%(n)s discards', n);

/** A pattern for those who do not see the drawing. */
export const spoken = (pattern) => rowsOf(pattern)
  .map((row) => row.map((word) => (word === '.' ? t('any') : STONES[word])).join(', '))
  .join(t('; below: '));

export const cardName = (card) => `${points(card.points)}: ${spoken(card.pattern)}`;

export const sameCell = ([row, col], [otherRow, otherCol]) => row === otherRow && col === otherCol;

/** The rows after a step `{shift}` or `{flip}`; `backs` tells the other face of each stone. */
export function after(rows, step, backs) {
  const next = rows.map((row) => [...row]);
  if (step.shift) {
    const [[r, c], [otherR, otherC]] = step.shift;
    [next[r][c], next[otherR][otherC]] = [next[otherR][otherC], next[r][c]];
  } else if (step.flip) {
    const [r, c] = step.flip;
    next[r][c] = backs[next[r][c]];
  }
  return next;
}

/** A step in words, told of the stones before it. */
export function stepWords(rows, step) {
  if (step.flip) {
    const [r, c] = step.flip;
    return t('Flip the %(stone)s in %(place)s.', { stone: STONES[rows[r][c]], place: place(step.flip) });
  }
  const [[r, c], [otherR, otherC]] = step.shift;
  return t('Swap the %(one)s in %(place)s and the %(other)s in %(elsewhere)s.', {
    one: STONES[rows[r][c]],
    place: place(step.shift[0]),
    other: STONES[rows[otherR][otherC]],
    elsewhere: place(step.shift[1]),
  });
}

export const BOARD_SIDE = 3;

/** Runs *draw* and gives the focus back to the element with the same `data-key`, which was made anew. */
export function keepingFocus(root, draw) {
  const key = root.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  draw();
  if (key) root.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}
