// The cards that match, the hand, and the card that is shown on the table.

import { $, button, cardArt, html, icon, points, spoken, stone } from './draw.js';
import { t, tn } from './i18n.js';

const HAND = 'tallystone.hand';
const where = ([row, col]) => t('row %(row)s, column %(col)s', { row: row + 1, col: col + 1 });

export class Cards {
  /**
   * @param deck all 72 cards
   * @param onLight called with the cells to light up
   */
  constructor(deck, onLight) {
    this.deck = deck;
    this.onLight = onLight;
    this.matches = new Map();
    this.labels = [];
    this.onlyHand = false;
    this.chosen = null; // { id, at }: which card, and which of its places
    this.hand = new Set(remembered());
    $('show-all').addEventListener('click', () => this.#filter(false));
    $('show-hand').addEventListener('click', () => this.#filter(true));
    $('peek-close').addEventListener('click', () => this.choose(null));
    $('peek-hand').addEventListener('click', () => {
      this.#toggleHand(this.chosen.id);
      this.#peek();
    });
    $('hand-clear').addEventListener('click', () => {
      this.hand.clear();
      this.#handChanged();
      this.#drawPicker();
    });
  }

  /** Shows the answer of the server for the grid. */
  show(matches, labels) {
    this.matches = new Map(matches.map((card) => [card.id, card]));
    this.labels = labels;
    if (this.chosen && !this.matches.has(this.chosen.id)) this.chosen = null;
    else if (this.chosen) this.chosen.at = Math.min(this.chosen.at, this.matches.get(this.chosen.id).places.length - 1);
    this.#draw();
    this.#peek();
  }

  /** Chooses a card, or its next place; after the last place nothing. */
  choose(id) {
    const card = this.matches.get(id);
    if (!card) this.chosen = null;
    else if (this.chosen?.id !== id) this.chosen = { id, at: 0 };
    else if (this.chosen.at + 1 < card.places.length) this.chosen.at += 1;
    else this.chosen = null;
    for (const button of $('cards').querySelectorAll('[data-card]')) {
      button.setAttribute('aria-pressed', String(Number(button.dataset.card) === this.chosen?.id));
    }
    this.#peek();
  }

  #filter(onlyHand) {
    this.onlyHand = onlyHand;
    this.choose(null);
    this.#draw();
    if (onlyHand && this.hand.size === 0) this.#openPicker();
  }

  #draw() {
    $('show-all').setAttribute('aria-pressed', String(!this.onlyHand));
    $('show-hand').setAttribute('aria-pressed', String(this.onlyHand));
    $('hand-count').hidden = this.hand.size === 0;
    $('hand-count').textContent = this.hand.size;
    const held = this.deck.filter((card) => this.hand.has(card.id));
    const now = this.onlyHand ? held.filter((card) => this.matches.has(card.id)) : [...this.matches.values()];
    const sum = now.reduce((total, card) => total + card.points, 0);
    $('cards-title').textContent = this.onlyHand
      ? t('%(n)s of your %(all)s cards match', { n: now.length, all: held.length })
      : t('%(n)s of %(all)s cards match', { n: now.length, all: this.deck.length });
    const found = { cards: tn('%(n)s card', '%(n)s cards', now.length), points: points(sum) };
    $('total').textContent = this.onlyHand
      ? t('%(cards)s, %(points)s in your hand', found) : t('%(cards)s, %(points)s in the deck', found);
    const groups = [5, 3, 2, 1].map((value) => this.#group(points(value), now.filter((card) => card.points === value)));
    if (this.onlyHand) {
      const rest = held.filter((card) => !this.matches.has(card.id));
      groups.push(this.#group(t('Not yet'), rest), button(
        { class: 'button', id: 'hand-edit', onclick: () => this.#openPicker() },
        icon('plus'), html('span', {}, held.length ? t('Change my hand') : t('Choose my cards'))));
    } else if (!now.length) {
      groups.push(html('p', { class: 'hint' }, t('No card of the deck matches this grid.')));
    }
    $('cards').replaceChildren(...groups.filter(Boolean));
  }

  #group(title, cards) {
    if (!cards.length) return null;
    return html('section', { class: 'group' },
      html('h3', {}, title),
      html('ul', { class: 'deck' }, ...cards.map((card) => html('li', {}, this.#card(card)))));
  }

  #card(card) {
    const match = this.matches.get(card.id);
    const times = match?.places.length ?? 0;
    return button({
      class: match ? 'card' : 'card idle',
      'data-card': card.id,
      'aria-pressed': String(this.chosen?.id === card.id),
      'aria-label': `${points(card.points)}: ${spoken(card.pattern)}`
        + (match ? (times > 1 ? `, ${t('found %(n)s times', { n: times })}` : '') : `, ${t('does not match')}`)
        + (this.hand.has(card.id) ? `, ${t('in your hand')}` : ''),
      disabled: !match,
      onclick: () => this.choose(card.id),
    },
    cardArt(card),
    times > 1 ? html('span', { class: 'badge', 'aria-hidden': 'true' }, `${times}×`) : null,
    this.hand.has(card.id) && !this.onlyHand
      ? html('span', { class: 'badge held', 'aria-hidden': 'true' }, icon('check')) : null);
  }

  #peek() {
    const card = this.chosen && this.matches.get(this.chosen.id);
    $('peek').hidden = !card;
    document.body.classList.toggle('peeking', Boolean(card));
    if (!card) {
      this.onLight([]);
      return;
    }
    const cells = card.places[this.chosen.at];
    const lit = new Set(cells.map(([row, col]) => row * 3 + col));
    $('peek-board').replaceChildren(...this.labels.map((label, at) =>
      html('span', { class: lit.has(at) ? 'lit' : 'dim' }, stone(label))));
    const held = this.hand.has(card.id);
    $('peek-title').textContent = points(card.points)
      + (card.places.length > 1 ? `, ${t('place %(at)s of %(all)s', { at: this.chosen.at + 1, all: card.places.length })}` : '');
    $('peek-where').textContent = card.places.length > 1
      ? t('Scores once; tap the card for the next place')
      : cells.map(([row, col]) => t(this.labels[row * 3 + col])).join(', ')
        + (cells.length === 1 ? ` · ${where(cells[0])}` : '');
    $('peek-hand').setAttribute('aria-pressed', String(held));
    $('peek-hand').textContent = held ? t('✓ In my hand') : t('+ Add to my hand');
    this.onLight(cells);
  }

  #openPicker() {
    this.#drawPicker();
    $('hand-picker').showModal();
  }

  #drawPicker() {
    $('hand-deck').replaceChildren(...[5, 3, 2, 1].map((value) => html('section', { class: 'group' },
      html('h3', {}, points(value)),
      html('ul', { class: 'deck' }, ...this.deck.filter((card) => card.points === value).map((card) => html('li', {},
        button({
          class: 'card',
          'data-hand': card.id,
          'aria-pressed': String(this.hand.has(card.id)),
          'aria-label': `${points(card.points)}: ${spoken(card.pattern)}`,
          onclick: (event) => {
            this.#toggleHand(card.id);
            event.currentTarget.setAttribute('aria-pressed', String(this.hand.has(card.id)));
          },
        }, cardArt(card), html('span', { class: 'badge held', 'aria-hidden': 'true' }, icon('check')))))))));
  }

  #toggleHand(id) {
    if (!this.hand.delete(id)) this.hand.add(id);
    this.#handChanged();
  }

  #handChanged() {
    try {
      localStorage.setItem(HAND, JSON.stringify([...this.hand]));
    } catch { /* private browsing: the hand lasts as long as the page */ }
    this.#draw();
  }
}

function remembered() {
  try {
    const saved = JSON.parse(localStorage.getItem(HAND));
    return Array.isArray(saved) ? saved.filter(Number.isInteger) : [];
  } catch {
    return [];
  }
}
