// What is played: the score cards, the seasons, where the numbers are printed, and the print of one card.

import { drawCells } from '../../cells.js';
import { $, button, html } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { place, sameCell, SEASONS } from '../words.js';
import { capitalised, cardPicture, SEASON_TITLE } from './words.js';

export class Settings {
  constructor(page) {
    this.page = page;
    this.seen = null; // the version of the game at the opening of a sheet
    this.deck = new Set(); // cards picked in the sheet
    this.print = []; // short diagonals marked in the sheet
    this.diagonal = 0; // the one that is being marked
    this.#listen();
  }

  draw() {
    const { game: { view }, mayEdit, mayTry } = this.page;
    $('sea-cards').replaceChildren(...view.cards.map(({ card, title, says }) => html('li', {}, cardPicture(card),
      html('span', {}, html('b', {}, title), html('small', {}, capitalised(says))))));
    $('sea-seasons').replaceChildren(...view.players.map((one) => html('label', { class: 'field' }, html('span', {}, one.name),
      html('select', {
        disabled: !mayEdit,
        onchange: (event) => this.page.act({ type: 'season', seat: one.seat, season: event.target.value }),
      }, ...SEASONS.map((season) => html('option', { value: season, selected: season === one.season }, SEASON_TITLE[season]))))));
    for (const input of document.getElementsByName('sea-hand')) {
      input.checked = input.value === view.layout.hand;
      input.disabled = !mayEdit;
    }
    $('sea-order').replaceChildren(...view.orders.map((order) => html('option',
      { value: order.join(' '), selected: order.join() === view.layout.order.join() }, order.join(' – '))));
    $('sea-order').disabled = !mayEdit;
    $('sea-short').hidden = !view.cards.some(({ card }) => card === 'short-diagonals');
    $('sea-short-text').textContent = view.short_diagonals_say;
    for (const id of ['sea-cards-change', 'sea-short-change']) $(id).hidden = !mayEdit;
    $('sea-actions').hidden = !mayTry;
  }

  async #setLayout() {
    const done = await this.page.act({
      type: 'layout',
      hand: [...document.getElementsByName('sea-hand')].find((input) => input.checked).value,
      order: $('sea-order').value.split(' ').map(Number),
    });
    if (!done) this.draw();
  }

  #openSheet(sheet) {
    this.seen = this.page.game.version;
    sheet.showModal();
  }

  #openDeck() {
    const { view } = this.page.game;
    this.deck = new Set(view.cards.map(({ card }) => card));
    const group = (family, title) => html('section', { class: 'group' }, html('h3', {}, title),
      html('ul', { class: 'sea-deck' }, ...view.all_cards.filter((one) => one.family === family).map((one) => html('li', {}, this.#deckCard(one)))));
    $('sea-deck-cards').replaceChildren(group('position', t('Places')), group('colour', t('Seasons')));
    this.#countDeck();
    this.#openSheet($('sea-deck'));
  }

  #deckCard({ card, number, title, says }) {
    return button({
      class: 'pick-card',
      'data-card': card,
      'aria-pressed': String(this.deck.has(card)),
      onclick: (event) => {
        if (!this.deck.delete(card)) this.deck.add(card);
        event.currentTarget.setAttribute('aria-pressed', String(this.deck.has(card)));
        this.#countDeck();
      },
    }, cardPicture(card), html('span', {}, html('b', {}, title), number ? ` ${t('no. %(n)s', { n: number })}` : '', html('small', {}, capitalised(says))));
  }

  #countDeck() { $('sea-deck-count').textContent = tn('1 card chosen', '%(n)s cards chosen', this.deck.size); }

  #openPrint() {
    const { view } = this.page.game;
    this.print = view.short_diagonals_are_own ? view.short_diagonals : view.short_diagonals.map(() => []);
    this.diagonal = 0;
    this.#drawPrint();
    this.#openSheet($('sea-short-sheet'));
  }

  /** The spaces of each diagonal, also where none is marked yet. */
  get #length() { return this.page.game.view.short_diagonals[0].length; }

  #drawPrint() {
    const all = this.#length;
    const { diagonal, print } = this;
    $('sea-short-tabs').replaceChildren(...print.map((cells, at) => button({
      class: 'chip', 'aria-pressed': String(at === diagonal), 'aria-label': t('Diagonal %(n)s: %(cells)s of %(all)s spaces', { n: at + 1, cells: cells.length, all }),
      onclick: () => { this.diagonal = at; this.#drawPrint(); },
    }, `${at + 1} (${cells.length}/${all})`)));
    drawCells($('sea-short-board'), this.page.player.cells.flatMap((line, row) => line.map((_, col) => this.#printCell([row, col]))));
    $('sea-short-done').disabled = print.some((cells) => cells.length !== all);
  }

  #printCell(cell) {
    const has = (cells) => cells.some((other) => sameCell(other, cell));
    const isNumber = this.page.player.areas.some((area) => sameCell(area.cell, cell));
    const owner = this.print.findIndex(has);
    const isMine = has(this.print[this.diagonal]);
    return button({
      class: ['sea-cell', isNumber ? 'number' : 'empty', isMine && 'lit', owner >= 0 && !isMine && 'taken'].filter(Boolean).join(' '),
      disabled: isNumber,
      'data-cell': String(cell),
      'aria-pressed': String(isMine),
      'aria-label': place(cell) + (owner >= 0 ? `: ${t('diagonal %(n)s', { n: owner + 1 })}` : ''),
      onclick: () => this.#mark(cell, isMine),
    }, owner >= 0 ? html('span', { class: 'sea-value', 'aria-hidden': 'true' }, String(owner + 1)) : null);
  }

  /** Marks a cell of the diagonal, or takes the mark away; a full diagonal leads to the next. */
  #mark(cell, isMine) {
    const { diagonal } = this;
    const all = this.#length;
    const isShort = (cells) => cells && cells.length < all;
    this.print = this.print.map((cells, at) => {
      if (at !== diagonal) return cells;
      return isMine ? cells.filter((other) => !sameCell(other, cell)) : [...cells, cell].slice(-all);
    });
    if (!isShort(this.print[diagonal]) && isShort(this.print[diagonal + 1])) this.diagonal += 1;
    this.#drawPrint();
  }

  #listen() {
    const { page } = this;
    for (const input of [...document.getElementsByName('sea-hand'), $('sea-order')]) input.addEventListener('change', () => this.#setLayout());
    $('sea-cards-change').addEventListener('click', () => this.#openDeck());
    $('sea-deck-done').addEventListener('click', () => {
      $('sea-deck').close();
      page.act({ type: 'cards', cards: [...this.deck] }, '', this.seen);
    });
    $('sea-short-change').addEventListener('click', () => this.#openPrint());
    for (const [id, diagonals] of [['sea-short-reset', () => null], ['sea-short-done', () => this.print]]) {
      $(id).addEventListener('click', () => {
        $('sea-short-sheet').close();
        page.act({ type: 'short_diagonals', diagonals: diagonals() }, '', this.seen);
      });
    }
  }
}
