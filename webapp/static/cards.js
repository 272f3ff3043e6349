// The cards that match, and the one that is shown on the table.

import { $, button, cardArt, html, points, spoken, stone } from './draw.js';
import { t, tn } from './i18n.js';

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
    this.chosen = null; // { id, at }: which card, and which of its places
    $('peek-close').addEventListener('click', () => this.choose(null));
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

  #draw() {
    const now = [...this.matches.values()];
    const sum = now.reduce((total, card) => total + card.points, 0);
    $('cards-title').textContent = t('%(n)s of %(all)s cards match', { n: now.length, all: this.deck.length });
    $('total').textContent = t('%(cards)s, %(points)s in the deck', { cards: tn('%(n)s card', '%(n)s cards', now.length), points: points(sum) });
    $('cards').replaceChildren(...now.length
      ? [5, 3, 2, 1].map((value) => this.#group(points(value), now.filter((card) => card.points === value))).filter(Boolean)
      : [html('p', { class: 'hint' }, t('No card of the deck matches this grid.'))]);
  }

  #group(title, cards) {
    if (!cards.length) return null;
    return html('section', { class: 'group' },
      html('h3', {}, title),
      html('ul', { class: 'deck' }, ...cards.map((card) => html('li', {}, this.#card(card)))));
  }

  #card(card) {
    const times = card.places.length;
    return button({
      class: 'card',
      'data-card': card.id,
      'aria-pressed': String(this.chosen?.id === card.id),
      'aria-label': `${points(card.points)}: ${spoken(card.pattern)}${times > 1 ? `, ${t('found %(n)s times', { n: times })}` : ''}`,
      onclick: () => this.choose(card.id),
    },
    cardArt(card),
    times > 1 ? html('span', { class: 'badge', 'aria-hidden': 'true' }, `${times}×`) : null);
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
    $('peek-title').textContent = points(card.points)
      + (card.places.length > 1 ? `, ${t('place %(at)s of %(all)s', { at: this.chosen.at + 1, all: card.places.length })}` : '');
    $('peek-where').textContent = card.places.length > 1
      ? t('Scores once; tap the card for the next place')
      : cells.map(([row, col]) => t(this.labels[row * 3 + col])).join(t(', '))
        + (cells.length === 1 ? ` · ${where(cells[0])}` : '');
    this.onLight(cells);
  }
}
