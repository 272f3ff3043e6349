// The questions of a reading, each with its part of the photo and the answers as buttons.

import { button, html, svg } from '../draw.js';
import { t } from '../i18n.js';
import { cropOf } from './crop.js';
import { centreOf, leaning, quadAt } from './geometry.js';
import { piece, placeOf, wordOf } from './pieces.js';

const SHOWN = 2; // likeliest labels that are buttons; the others are in the sheet
const AROUND = 1; // share of a place's size that is shown around it
const TURNS = () => [t('As read'), t('A quarter turn right'), t('Upside down'), t('A quarter turn left')];

/**
 * One question as an item of a list.
 * @param one of `grid.questions`
 * @param answer called with a value of the question and what is said then
 * @param pick called to ask for a label; with the place's corners on the photo if the reading has no such cell
 */
export function questionItem(one, { board, grid, picture, answer, pick }) {
  const reads = grid.places.map(([, , cell]) => cell.read).filter(Boolean);
  const guess = (label, onclick, more = {}, ...before) => button({ class: 'guess', onclick, ...more }, ...before, html('span', {}, label));
  const item = (kind, question, pictures, ...answers) => html('li', { 'data-question': kind, class: kind === 'cell' && pictures.length < 2 ? '' : 'wide' },
    ...pictures, html('div', { class: 'check-text' }, html('strong', {}, question), ...answers));
  const yesNo = (kind, question, right, pictures = []) => {
    const hint = html('p', { class: 'hint', role: 'status' });
    const wrong = () => { hint.textContent = t('Then set it right on the board, or take another photo.'); };
    const [yes, no] = [[t('Yes'), 'yes'], [t('No'), 'no']].map(([label, value]) =>
      guess(label, value === right ? () => answer(kind === 'set' ? 'yes' : 'nothing', label) : wrong, { 'data-answer': value }));
    return item(kind, question, pictures, html('div', { class: 'guesses' }, yes, no), hint);
  };

  if (one.kind === 'set') return yesNo('set', t('Is this the game that was taught?'), 'yes');
  if (one.kind === 'extent' && !one.places.length) {
    if (grid.mayLieElsewhere) return yesNo('extent', t('Are the bare rows and columns on the right sides of the board?'), 'yes');
    return yesNo('extent', t('Does the board go on beyond what was read?'), 'no');
  }
  if (one.kind === 'extent') {
    const [[row, col]] = one.places;
    const quad = quadAt(reads, one.cells[0]);
    const lies = (grid.now[row]?.[col]?.label ?? '.') !== '.';
    const view = cropOf(svg('svg', { class: 'crop', role: 'img', 'aria-label': t('The place on the photo') }), picture, quad, AROUND);
    view.append(svg('g', { class: 'cell doubtful' }, ...['cell-glow', 'cell-line'].map((name) => svg('polygon', { points: quad.join(' '), class: name }))));
    return item('extent', t('Does a piece lie here?'), [view], html('div', { class: 'guesses' },
      guess(t('A piece lies here'), () => (lies ? answer('piece', t('A piece lies here')) : pick(quad)), { 'data-answer': 'piece', disabled: !grid.mayHold([row, col]) }),
      guess(t('Nothing lies here'), () => answer('nothing', t('Nothing lies here')), { 'data-answer': 'nothing' })));
  }
  if (one.kind === 'direction') {
    const words = TURNS();
    const ways = one.options.map(([turn]) => turn).filter((turn) => turn % 2 === 0 || grid.mayTurn).sort();
    return item('direction', t('Which side of the board is up?'), [], html('div', { class: 'turns' }, ...ways.map((turn) =>
      guess(words[turn], () => answer(turn, words[turn]), { 'data-answer': turn }, turnedPhoto(picture, reads.map(({ quad }) => quad), turn)))));
  }

  const cells = one.places.map(([row, col]) => [placeOf(row, col), grid.now[row][col]]);
  const crops = cells.filter(([, cell]) => cell.read).map(([place, cell]) =>
    cropOf(svg('svg', { class: 'crop', role: 'img', 'aria-label': t('%(place)s on the photo', { place }) }), picture, cell.read.quad));
  const places = cells.map(([place]) => place).join(' · ');
  return item('cell', places, crops,
    button({ class: 'guess other', onclick: () => pick() }, t('Other…')),
    html('div', { class: 'guesses' }, ...grid.choices(one).slice(0, SHOWN).map((label) => guess(wordOf(board, label),
      () => answer(label, t('%(place)s is %(what)s.', { place: places, what: wordOf(board, label) })), { 'data-guess': label }, piece(board, label)))));
}

/** The board on its photo, upright and then turned by some quarters clockwise. */
function turnedPhoto({ url, width, height }, quads, turn) {
  const [x, y] = centreOf(quads.flat());
  const far = Math.max(...quads.flat().map((corner) => Math.hypot(corner[0] - x, corner[1] - y)));
  return svg('svg', { class: 'turned', viewBox: `${-far} ${-far} ${2 * far} ${2 * far}`, 'aria-hidden': 'true' },
    svg('g', { transform: `rotate(${turn * 90 - leaning(quads)}) translate(${-x} ${-y})` }, svg('image', { href: url, width, height })));
}
