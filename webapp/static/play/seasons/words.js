// Shifting Seasons in words and pictures: cards, cells, tiles and groups.

import { svg } from '../../draw.js';
import { t } from '../../i18n.js';
import { SEASON } from '../words.js';

export const SEASON_TITLE = { spring: t('Spring'), summer: t('Summer'), autumn: t('Autumn'), winter: t('Winter') };

/** A clause of the rules as a sentence begins. */
export const capitalised = (clause) => clause[0].toUpperCase() + clause.slice(1);

export const isNumber = (word) => /^\d/.test(word);

/** A word of the notation in people's words. */
export function spoken(word) {
  if (word === '.') return t('empty');
  const number = Number(word.replace('!', ''));
  if (number) return word.endsWith('!') ? t('number %(n)s with a frame', { n: number }) : t('number %(n)s', { n: number });
  const season = SEASON[word.replace('*', '')];
  return word.endsWith('*') ? t('%(season)s, precious', { season }) : season;
}

/** The picture of a tile. */
export const tile = (word) => svg('svg', { viewBox: '0 0 64 64', 'aria-hidden': 'true' },
  svg('use', { href: `#season-${word.replace('*', '')}` }),
  word.endsWith('*') ? svg('use', { href: '#season-precious' }) : null);

export const cardPicture = (card, size = 'sea-card-art') => svg('svg', { viewBox: '0 0 64 64', class: size, 'aria-hidden': 'true' },
  svg('use', { href: `#scorecard-${card}` }));
