// What was read: the photo with its cells, the cells to check, the board redrawn, and the sheet that changes a cell.

import { drawCells } from '../cells.js';
import { button, html, icon, percent, svg } from '../draw.js';
import { t } from '../i18n.js';
import { cropOf } from './crop.js';
import { boxAround, within } from './geometry.js';
import { guesses } from './grid.js';
import { cellShape, cellWords } from './overlay.js';
import { pieceSheet } from './picker.js';
import { isNamed, leftWords, piece, placeOf, wordOf } from './pieces.js';
import { questionItem } from './questions.js';

const LOOK_AROUND = 0.1; // share of the board's size that is shown around it
const FEW = 3; // questions listed before one asks for more
const MANY = 8; // choices that fit the sheet without scrolling

export class ReadingView {
  /**
   * @param board what is read: 'stones', 'seasons', 'time' or 'custom'
   * @param onChange called after a change of the grid with what was done, in words
   * @param after the element where one goes on once nothing is left to check
   */
  constructor(board, onChange, after) {
    Object.assign(this, { board, onChange, after });
    this.lit = new Set(); // cells to look at, as "row,col"
    this.impossible = new Set(); // cells that cannot all be right
    this.changed = new Set(); // cells that are not as on the board before
    this.photo = svg('image', {});
    this.shapes = svg('g', {});
    this.overlay = svg('svg', { class: 'overlay', role: 'group', 'aria-label': t('Photo with what was read') }, this.photo, this.shapes);
    this.verdict = html('span', { class: 'verdict' });
    this.zoom = button({ class: 'chip', 'data-zoom': true, 'aria-pressed': 'false', onclick: () => this.#zoom(!this.whole) }, t('Whole photo'));
    this.figure = html('figure', { class: 'photo panel' }, this.overlay, html('figcaption', {}, this.verdict, this.zoom));
    this.check = html('section', { class: 'check panel', 'aria-label': t('Please check') });
    this.squares = html('div', { class: isNamed(board) ? 'review-board named' : 'review-board', role: 'group', 'aria-label': t('The board as it will be used') });
  }

  /**
   * Shows a board.
   * @param picture its photo { url, width, height }, or null for one that is typed in
   */
  open(grid, picture) {
    Object.assign(this, { grid, picture, showAll: false });
    this.lit.clear();
    this.impossible.clear();
    this.changed.clear();
    this.figure.hidden = !picture;
    this.refresh();
    if (!picture) return;
    for (const [name, value] of Object.entries({ ...picture, href: picture.url })) if (name !== 'url') this.photo.setAttribute(name, value);
    this.#zoom(false);
  }

  /** Draws everything anew. */
  refresh() {
    const left = this.grid.questions.length;
    this.verdict.className = left ? 'verdict doubtful' : 'verdict sure';
    this.verdict.replaceChildren(icon(left ? 'warn' : 'check'), leftWords(this.board, this.grid));
    this.#draw();
    this.#listQuestions();
  }

  /** Lights cells up, [row, col] each, and dims all others; none to end it. */
  light(cells) {
    this.lit = new Set(cells.map(String));
    this.#draw();
  }

  /** Says which cells, [row, col] each, cannot all be right. */
  doubt(cells) {
    this.impossible = new Set(cells.map(String));
    this.#draw();
  }

  /** Says which cells, [row, col] each, are not as on the board before. */
  mark(cells) {
    this.changed = new Set(cells.map(String));
    this.#draw();
  }

  /** Goes back one change, or forth again. */
  travel(forth) {
    if (forth ? this.grid.redo() : this.grid.undo()) this.#changed(forth ? t('Redone.') : t('Undone.'));
  }

  turn() {
    this.grid.turn();
    this.#changed(t('The board is turned.'));
  }

  /** Another row or column; *says* is what was done. */
  grow(side, says) {
    this.grid.grow(side);
    this.#changed(says);
  }

  #changed(what) {
    this.refresh();
    this.onChange(what);
  }

  #correct(row, col, label) {
    if (this.grid.correct(row, col, label)) {
      this.#changed(t('%(place)s is %(what)s.', { place: placeOf(row, col), what: wordOf(this.board, label) }));
    }
  }

  #state(row, col) {
    const key = `${row},${col}`;
    return [this.lit.has(key) && 'lit', this.lit.size > 0 && !this.lit.has(key) && 'dim', this.impossible.has(key) && 'impossible', this.changed.has(key) && 'changed'];
  }

  #draw() {
    const { board, grid } = this;
    const shapes = this.picture ? grid.places.filter(([, , cell]) => cell.read).map(([row, col, cell]) => cellShape(board, row, col, cell, {
      says: this.#says(row, col, cell), state: this.#state(row, col), onAsk: () => this.#pick(row, col, this.shapes),
    })) : [];
    drawCells(this.shapes, [...shapes.map(({ group }) => group), ...shapes.map(({ tag }) => tag)]);
    this.squares.style.setProperty('--columns', grid.cols);
    this.squares.dataset.cols = grid.cols;
    drawCells(this.squares, grid.places.map(([row, col, cell]) => this.#square(row, col, cell)));
  }

  #says(row, col, cell) {
    return cellWords(this.board, row, col, cell, !cell.checked && t('please check'),
      this.impossible.has(`${row},${col}`) && t('part of an impossible count'),
      this.changed.has(`${row},${col}`) && t('changed since the board before'));
  }

  #square(row, col, cell) {
    return button({
      class: ['square', !cell.checked && 'doubtful', cell.label === '.' && 'blank', ...this.#state(row, col)].filter(Boolean).join(' '),
      'aria-label': this.#says(row, col, cell),
      'data-cell': `${row},${col}`,
      'data-label': cell.label,
      onclick: () => this.#pick(row, col, this.squares),
    },
    piece(this.board, cell.label),
    isNamed(this.board) ? html('span', { class: 'square-word' }, wordOf(this.board, cell.label)) : null,
    cell.checked ? null : html('span', { class: 'square-mark', 'aria-hidden': 'true' }, '?'));
  }

  /** Shows the whole photo, or the board on it. */
  #zoom(whole) {
    this.whole = whole;
    const { width, height } = this.picture;
    const quads = this.grid.places.filter(([, , cell]) => cell.read).map(([, , cell]) => cell.read.quad);
    const box = whole || !quads.length ? { x: 0, y: 0, width, height } : within(boxAround(quads, LOOK_AROUND), this.picture);
    this.overlay.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
    this.overlay.style.aspectRatio = `${box.width} / ${box.height}`;
    this.zoom.setAttribute('aria-pressed', String(whole));
  }

  #listQuestions() {
    const { board, grid, picture } = this;
    const questions = picture ? grid.questions : [];
    const shown = this.showAll ? questions : questions.slice(0, FEW);
    const isHeld = this.check.contains(document.activeElement);
    this.check.hidden = questions.length === 0;
    this.check.replaceChildren(
      html('div', { class: 'check-head' }, html('h3', {}, t('Please check')),
        questions.length > 1 ? button({
          class: 'chip', 'data-all-right': true,
          onclick: () => { this.grid.confirm(); this.#changed(t('All confirmed.')); },
        }, t('All are right')) : ''),
      html('ul', { class: 'check-list' }, ...shown.map((one) => questionItem(one, {
        board, grid, picture,
        answer: (value, says) => this.#answer(one, value, says),
        pick: (quad) => this.#pick(...one.places[0], this.squares, {
          quad,
          choose: (label) => {
            const what = wordOf(board, label);
            if (one.kind === 'extent') this.#answer(one, 'piece', what, label);
            else this.#answer(one, label, what);
          },
        }),
      }))),
      shown.length < questions.length ? button({
        class: 'button quiet', onclick: () => { this.showAll = true; this.#listQuestions(); },
      }, t('Show %(n)s more', { n: questions.length - shown.length })) : '');
    if (isHeld) (this.check.querySelector('.guess') ?? this.after)?.focus({ preventScroll: true });
  }

  #answer(one, value, says, label) {
    this.grid.answer(one, value, label);
    this.#changed(says);
  }

  /**
   * Opens the sheet that asks what lies on a cell; afterwards the cell of *origin* has the focus.
   * @param choose what is done with the label
   * @param quad where a piece lies that the reading may have missed
   */
  #pick(row, col, origin, { choose = (label) => this.#correct(row, col, label), quad } = {}) {
    const { board, picture } = this;
    const cell = quad ? { label: '.', checked: true, read: { quad } } : this.grid.now[row][col];
    const shares = new Map(cell.checked ? [] : guesses(cell, MANY));
    const labels = this.#labels().filter((label) => !quad || label !== '.');
    const what = wordOf(board, cell.label);
    const sheet = pieceSheet({
      title: quad ? t('A piece lies here') : placeOf(row, col),
      hint: cell.checked ? t('Now %(what)s. What lies there?', { what }) : t('Perhaps %(what)s. What lies there?', { what }),
      picture: cell.read && picture ? cropOf(svg('svg', { class: 'crop', 'aria-hidden': 'true' }), picture, cell.read.quad) : null,
      labels,
      now: cell.label,
      drawn: (label) => [piece(board, label), html('span', {}, wordOf(board, label)),
        (shares.get(label) ?? 0) >= 0.005 ? html('span', { class: 'share' }, percent(shares.get(label))) : null],
      isMany: labels.length > MANY,
      mayType: board === 'custom',
      done: choose,
    });
    sheet.addEventListener('click', (event) => { if (event.target === sheet) sheet.close(); });
    sheet.addEventListener('close', () => origin.querySelector(`[data-cell="${row},${col}"]`)?.focus({ preventScroll: true }));
    (this.figure.closest('dialog') ?? document.body).append(sheet);
    sheet.showModal();
    sheet.querySelector('[aria-pressed=true]')?.focus();
  }

  /** All pieces that are known: those of the board, and those that somebody has typed. */
  #labels() {
    const { grid } = this;
    return [...new Set([...grid.spec.labels, ...grid.places.map(([, , cell]) => cell.label)])]
      .filter((label) => label !== '.' || grid.spec.empty);
  }
}
