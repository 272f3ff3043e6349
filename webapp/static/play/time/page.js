// Turn of Time at the table: the grid, the card that is played next and what it flips, and the ranking.

import { drawCells } from '../../cells.js';
import { $, button, html, icon, warning } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { NextCard } from './card.js';
import { Ranking } from './ranking.js';
import { Seats } from './seats.js';
import { cardFace, cardWords, freeWords } from './words.js';
import { GamePage, mounting } from '../page.js';
import { place, sameCell, SEASON } from '../words.js';

class Page extends GamePage {
  constructor(table, root) {
    super(table, root);
    this.lit = null; // { cells, group } of a season whose row was tapped
    this.asked = null; // the cell the sheet is open for, and the version at its opening: { cell, seen }
    this.sides = { up: null, back: null }; // what the sheet says
    this.next = new NextCard(this);
    this.ranking = new Ranking(this);
    this.seats = new Seats(this);
    this.#listen();
  }

  update(game) {
    const moved = this.game && this.game.view.grid.text !== game.view.grid.text;
    this.game = game;
    if (moved) {
      this.lit = null;
      this.next.reset();
    }
    this.draw();
  }

  draw() {
    $('time-bar').hidden = !this.mayEdit;
    $('photo').classList.toggle('primary', this.view.grid.cards === 0 && this.next.cell === null);
    this.#drawTurn();
    this.drawGrid();
    this.next.draw();
    this.ranking.draw();
    this.seats.draw();
  }

  /** Lights a season's cards, its largest group ringed. */
  light(lit) {
    this.lit = lit;
    this.drawGrid();
    if (lit) this.showGrid();
  }

  /** Scrolls as little as needed to see the whole grid. */
  showGrid() { $('grid').scrollIntoView({ block: 'nearest', behavior: 'instant' }); }

  #drawTurn() {
    const { full, grid, players, solo, turn } = this.view;
    $('seats').hidden = !this.mayEdit || Boolean(solo);
    const player = players[turn.seat];
    if (this.game.over) {
      $('turn-title').textContent = this.game.ending[0];
    } else if (full) {
      $('turn-title').textContent = this.unfinished;
    } else if (solo) {
      $('turn-title').textContent = t('Your turn');
    } else {
      $('turn-title').textContent = player.seat === this.game.you.seat && this.game.you.role !== 'viewer'
        ? t('Your turn') : t('%(name)s’s turn', { name: player.name });
    }
    const own = solo || !player || this.game.over ? '' : ` · ${player.seasons.map((season) => SEASON[season]).join(t(', '))}`;
    $('turn-hint').textContent = grid.says + own;
  }

  // The grid

  /** Rows and columns on the screen: the cards and all cells where one may go. */
  #bounds() {
    const { grid, legal } = this.view;
    const cells = legal.map(({ cell }) => cell);
    const rows = [0, grid.rows.length - 1, ...cells.map(([row]) => row)];
    const cols = [0, grid.rows[0].length - 1, ...cells.map(([, col]) => col)];
    return { top: Math.min(...rows), bottom: Math.max(...rows), left: Math.min(...cols), right: Math.max(...cols) };
  }

  drawGrid() {
    const { grid, legal } = this.view;
    const { top, bottom, left, right } = this.#bounds();
    const children = [];
    for (let row = top; row <= bottom; row += 1) {
      for (let col = left; col <= right; col += 1) {
        const card = grid.rows[row]?.[col];
        const free = legal.find(({ cell }) => sameCell(cell, [row, col]));
        if (card) children.push(this.#card([row, col], card));
        else if (free) children.push(this.#free([row, col], free));
        else children.push(html('span'));
      }
    }
    const [rows, columns] = [bottom - top + 1, right - left + 1];
    $('grid').style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    for (const [name, value] of Object.entries({ rows, columns })) $('grid').style.setProperty(`--${name}`, value);
    drawCells($('grid'), children);
    $('problems').replaceChildren(...grid.problems.map(({ message }) => warning(message)));
    this.#drawUnknown();
    $('grid-hint').textContent = this.#hint();
    $('look-again').hidden = grid.photo === null || !this.mayEdit;
  }

  #card(cell, card) {
    const { grid, last } = this.view;
    const preview = this.next.stepAt(cell);
    const happened = last && !this.next.isBusy && this.#lastAt(cell);
    const wrong = grid.problems.some((problem) => problem.cells.some((one) => sameCell(one, cell)));
    const lit = this.lit?.cells.some((one) => sameCell(one, cell));
    const ringed = this.lit?.group.some((one) => sameCell(one, cell));
    const mark = preview ?? happened;
    return button({
      class: ['time-cell', this.lit && !lit && 'dim', lit && 'lit', ringed && 'ringed', wrong && 'impossible',
        mark?.flips && 'flips', happened?.isPlaced && 'placed'].filter(Boolean).join(' '),
      'data-key': `cell-${cell}`,
      'data-cell': String(cell),
      disabled: !this.mayEdit,
      'aria-label': [`${place(cell)}: ${cardWords(card)}`, ringed && t('in the largest group'), mark?.words,
        wrong && t('part of what is impossible')].filter(Boolean).join(t(', ')),
      onclick: () => this.#ask(cell, card),
    }, cardFace(card), mark?.number ? badge(mark) : null);
  }

  #lastAt(cell) {
    const { last } = this.view;
    if (sameCell(last.cell, cell)) return { isPlaced: true, words: t('placed last') };
    const at = last.steps.findIndex((step) => sameCell(step.cell, cell));
    if (at < 0) return null;
    const flips = last.steps[at].flips_lying;
    return { number: at + 1, flips, words: flips ? t('met %(n)s., flipped', { n: at + 1 }) : t('met %(n)s.', { n: at + 1 }) };
  }

  #free(cell, free) {
    const isChosen = this.next.cell && sameCell(this.next.cell, cell);
    const ghost = isChosen ? this.next.ghost() : null;
    const blocked = free.unknown.length > 0;
    return button({
      class: ['time-cell', 'free', isChosen && 'chosen', blocked && 'blocked', this.lit && 'dim'].filter(Boolean).join(' '),
      'data-key': `cell-${cell}`,
      'data-cell': String(cell),
      'data-free': '',
      'aria-pressed': String(Boolean(isChosen)),
      disabled: !this.mayEdit,
      'aria-label': freeWords(cell),
      onclick: () => this.next.chooseCell(isChosen ? null : cell),
    }, ghost ? cardFace(ghost) : icon('plus'));
  }

  #drawUnknown() {
    const { grid } = this.view;
    $('unknown').replaceChildren(...(this.mayEdit ? grid.unknown.slice(0, 1) : []).map((cell) => html('div',
      { class: 'time-ask', role: 'status' },
      html('p', {}, html('strong', {}, tn('A card was flipped.', '%(n)s cards were flipped.', grid.unknown.length)), ' ',
        t('Which season does it show now, in %(place)s?', { place: place(cell) })),
      html('div', { class: 'time-ask-buttons' }, ...this.view.seasons.map((season) => button({
        class: 'chip',
        'data-key': `settle-${season}`,
        onclick: () => this.act({ type: 'cell', row: cell[0], col: cell[1], label: season }, `${place(cell)}: ${SEASON[season]}`),
      }, SEASON[season]))))));
  }

  #hint() {
    const { full, grid } = this.view;
    if (!this.mayEdit || full) return '';
    if (grid.cards === 0 && !this.next.isBusy) return t('Photograph the cards, or choose the first card below.');
    if (this.next.cell && !this.next.card) return t('Now choose the card that is played.');
    if (this.next.card && !this.next.cell) return t('Tap one of the marked cells.');
    if (this.next.ways > 1) return t('The numbers are the order of meetings. Below are %(n)s ways to choose from.', { n: this.next.ways });
    if (this.next.isBusy) return t('The numbers say in which order the cards are met.');
    return t('Tap a card to correct it, a marked cell to place one.');
  }

  // What lies on a cell, put right

  #ask(cell, card) {
    this.asked = { cell, seen: this.game.version };
    this.sides = { up: card.up, back: card.back ?? '?' };
    $('card-sheet-title').textContent = place(cell);
    this.#drawSides();
    $('card-sheet').showModal();
  }

  #drawSides() {
    for (const side of ['up', 'back']) {
      for (const button of $(`card-${side}`).children) {
        button.setAttribute('aria-pressed', String(button.dataset.season === this.sides[side]));
      }
    }
    $('card-set').disabled = !this.sides.up;
  }

  #listen() {
    for (const side of ['up', 'back']) {
      $(`card-${side}`).addEventListener('click', (event) => {
        const { season } = event.target.closest('[data-season]')?.dataset ?? {};
        if (!season) return;
        this.sides[side] = season;
        this.#drawSides();
      });
    }
    const set = (label) => {
      $('card-sheet').close();
      const { cell: [row, col], seen } = this.asked;
      this.act({ type: 'cell', row, col, label }, t('Put right.'), seen);
    };
    $('card-set').addEventListener('click', () => set(`${this.sides.up}/${this.sides.back}`));
    $('card-remove').addEventListener('click', () => set('.'));
    this.photographs('time', () => this.view.grid.photo, t('The cards are as on the photo now.'));
  }

  /** Shows a pane: `card` or `ranking`. */
  choosePane(name) {
    super.choosePane(name);
    this.ranking.chosen = null;
    this.lit = null;
    this.draw();
  }
}

export const mount = mounting(Page);

const badge = ({ number, flips }) => html('span', { class: `time-number${flips ? ' flips' : ''}`, 'aria-hidden': 'true' },
  String(number), flips ? '↻' : '');
