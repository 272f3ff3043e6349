// Shifting Seasons in words and pictures: cards, cells, tiles and groups.

import { svg } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { place, sameCell } from '../words.js';

export const SIDE = 6;
export const NUMBERS = [1, 2, 3, 4];
export const SEASONS = ['spring', 'summer', 'autumn', 'winter'];
export const SEASON = { spring: t('spring'), summer: t('summer'), autumn: t('autumn'), winter: t('winter') };
export const SEASON_TITLE = { spring: t('Spring'), summer: t('Summer'), autumn: t('Autumn'), winter: t('Winter') };

const CARD = {
  'six-diagonals': [t('Six diagonals'), t('Each filled diagonal of six tiles.')],
  'six-columns': [t('Six columns'), t('Each filled column of six: the two without a number.')],
  connections: [t('Connections'), t('Each filled straight line of four between two numbers.')],
  'outer-edge': [t('Outer edge'), t('Each edge of the board whose five spaces are filled.')],
  'number-neighbours': [t('Number neighbours'), t('The three spaces beside a number, if all are filled.')],
  'short-diagonals': [t('Short diagonals'), t('Each filled diagonal of three as printed on the card.')],
  centre: [t('Centre'), t('The four spaces in the centre, if all are filled; scored twice.')],
  'area-colour': [t('Area colour'), t('Tiles with the season of their area: 1 autumn, 2 summer, 3 spring, 4 winter.')],
  'largest-group': [t('Largest group'), t('One connected group of one season with the most tiles.')],
  'colour-diagonals': [t('Colour diagonals'), t('Three tiles of one season in a diagonal row; once for each season.')],
  'colour-lines': [t('Colour lines'), t('Four tiles of one season in a row or column; once for each season.')],
  'colour-squares': [t('Colour squares'), t('Two by two tiles of one season; once for each season.')],
  'colour-pairs': [t('Colour pairs'), t('Two neighbours of one season in two different areas.')],
  'colour-sets': [t('Colour sets'), t('All four seasons in one area, at most two sets an area.')],
};

export const cardName = (card) => CARD[card][0];
export const cardRule = (card) => CARD[card][1];

export const isNumber = (word) => /^[1-4]/.test(word);

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

/** Tiles, precious tiles and tiles of the own season as a sum in words. */
export function sum({ tiles, precious, own }, season) {
  const parts = [tn('1 tile', '%(n)s tiles', tiles)];
  if (precious) parts.push(t('%(n)s precious', { n: precious }));
  if (own) parts.push(t('%(n)s of %(season)s', { n: own, season: SEASON[season] }));
  return parts.join(' + ');
}

/** Which group of cells this is, in words. */
export function named(card, group, player) {
  const { cells } = group;
  const rows = new Set(cells.map(([row]) => row));
  const cols = new Set(cells.map(([, col]) => col));
  const season = group.season && SEASON_TITLE[group.season];
  const row = t('row %(n)s', { n: cells[0]?.[0] + 1 });
  const column = t('column %(n)s', { n: cells[0]?.[1] + 1 });
  switch (card) {
    case 'six-diagonals':
      return cells.some((cell) => sameCell(cell, [0, 0]) || sameCell(cell, [1, 1]) || sameCell(cell, [2, 2]) || sameCell(cell, [4, 4]))
        ? t('Diagonal from the top left') : t('Diagonal from the top right');
    case 'centre': return t('The four spaces in the centre');
    case 'area-colour': return t('%(season)s in area %(n)s', { season, n: group.area });
    case 'largest-group': return t('The largest group, %(season)s', { season: SEASON[group.season] });
    case 'colour-sets': return t('Four seasons in area %(n)s', { n: group.area });
    case 'colour-squares': return t('Square of %(season)s', { season: SEASON[group.season] });
    case 'colour-pairs': return t('Pair of %(season)s, %(place)s', { season: SEASON[group.season], place: place(cells[0]) });
    case 'number-neighbours': {
      const area = player.areas.find(({ cell }) => cells.every(([r, c]) => Math.abs(r - cell[0]) + Math.abs(c - cell[1]) === 1));
      return t('Around number %(n)s', { n: area.number });
    }
    case 'short-diagonals':
    case 'colour-diagonals': {
      const between = { from: place(cells[0]), to: place(cells.at(-1)) };
      return season ? t('%(season)s from %(from)s to %(to)s', { season, ...between }) : t('From %(from)s to %(to)s', between);
    }
    default: {
      const line = rows.size === 1 || cols.size !== 1 ? row : column;
      return card === 'colour-lines' ? t('%(season)s in %(line)s', { season, line }) : line[0].toUpperCase() + line.slice(1);
    }
  }
}
