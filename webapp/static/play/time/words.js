// Turn of Time in words and pictures: seasons, cells and cards.

import { html, svg } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { SEASON, place } from '../words.js';

export const cardsWord = (n) => tn('%(n)s card', '%(n)s cards', n);

/** A season's picture. */
export const face = (season, className = 'time-face') => svg('svg',
  { viewBox: '0 0 64 64', class: className, 'aria-hidden': 'true' },
  svg('use', { href: `#piece-time-${season ?? 'unknown'}` }));

/** A card `{up, back}`: the side that shows, and in its corner the other one. */
export const cardFace = ({ up, back }) => html('span', { class: 'time-card', 'aria-hidden': 'true' },
  face(up), html('span', { class: `time-back${back ? '' : ' unknown'}` }, back ? face(back) : '?'));

/** Where a card may be laid; the rows and columns that people count are those with cards. */
export function freeWords([row, col]) {
  if (row < 0) return t('Place a card above the cards, column %(column)s', { column: col + 1 });
  if (col < 0) return t('Place a card left of the cards, row %(row)s', { row: row + 1 });
  return t('Place a card in %(place)s', { place: place([row, col]) });
}

export const splitCard = (text) => {
  const [up, back] = text.split('/');
  return { up, back };
};

/** A card in words. */
export function cardWords({ up, back }) {
  if (!up) return t('a card flipped to an unknown side, below it %(back)s', { back: SEASON[back] });
  if (!back) return t('%(up)s, other side unknown', { up: SEASON[up] });
  if (up === back) return t('%(up)s on both sides', { up: SEASON[up] });
  return t('%(up)s, below it %(back)s', { up: SEASON[up], back: SEASON[back] });
}
