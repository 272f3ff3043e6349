// Shifting Stones in words: names of stones, cells and cards in the language of the page.

import { points, spoken } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { place } from '../words.js';

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

export const discards = (n) => tn('%(n)s discard', '%(n)s discards', n);

export const cardName = (card) => `${points(card.points)}: ${spoken(card.pattern)}`;

/** The rows once `words` lie on the cells of a step `{shift}` or `{flip}`. */
export function after(rows, step, words) {
  const next = rows.map((row) => [...row]);
  cellsOf(step).forEach(([r, c], at) => { next[r][c] = words[at]; });
  return next;
}

/** The cells that a step moves. */
export const cellsOf = (step) => step.shift ?? [step.flip];

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
