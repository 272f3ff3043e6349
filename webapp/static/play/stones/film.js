// Small boards one after another: what the stones look like after each step, and what scores on the way.

import { cardArt, hidden, html, stone, svg } from '../../draw.js';
import { t } from '../../i18n.js';
import { after, cardName, cellsOf, stepWords } from './words.js';
import { sameCell } from '../words.js';

/** One small board; `marked` cells are ringed, `arrow` joins two that change places. */
export function smallBoard(rows, marked = [], arrow = null) {
  const cells = rows.flatMap((row, r) => row.map((word, c) => html('span',
    { class: marked.some((cell) => sameCell(cell, [r, c])) ? 'lit' : 'dim' }, stone(word))));
  const board = html('span', { class: `film-board${marked.length ? ' marked' : ''}`, 'aria-hidden': 'true' }, ...cells);
  if (arrow) board.append(swapMark(arrow));
  return board;
}

// Two arrow heads between the stones that change places.
function swapMark([[r, c], [otherR, otherC]]) {
  const [x, y] = [(c + otherC + 1) * 50, (r + otherR + 1) * 50];
  const turned = r === otherR ? 0 : 90;
  return svg('svg', { viewBox: '0 0 300 300', class: 'film-arrow' },
    svg('g', { transform: `translate(${x} ${y}) rotate(${turned})` },
      svg('circle', { r: 26 }),
      svg('path', { d: 'M-16 -5h32m-8 -8 8 8M16 6h-32m8 8-8-8' })));
}

/**
 * The steps of a turn as a list: a board before each move with the stones that move ringed, the cards that score, and
 * the board at the end.
 * @param rows the stones now
 * @param steps `{shift}`, `{flip}` or `{score: id}`
 * @param cards all cards by id
 * @param lays what lies after each step on the cells that it moves
 * @param lit cells to ring on the last board
 */
export function film({ rows, steps, lays, cards, lit = [] }) {
  const frames = [];
  let now = rows;
  let number = 0;
  for (const [at, step] of steps.entries()) {
    if (step.score) {
      const card = cards.get(step.score);
      frames.push(html('li', { class: 'film-score' }, cardArt(card),
        html('span', {}, t('Score')), hidden(cardName(card))));
    } else {
      number += 1;
      frames.push(html('li', {},
        smallBoard(now, cellsOf(step), step.shift),
        html('span', { 'aria-hidden': 'true' }, step.shift
          ? t('%(n)s. Swap', { n: number }) : t('%(n)s. Flip', { n: number })),
        hidden(stepWords(now, step))));
      now = after(now, step, lays[at]);
    }
  }
  if (number) {
    frames.push(html('li', {}, smallBoard(now, lit), html('span', {}, t('Then'))));
  }
  return html('ol', { class: 'film', tabindex: '0', 'aria-label': t('Step by step') }, ...frames);
}
