// Pattern cards on a photo at a quick look: which ones lie there, drawn on the photo and in a row.

import { $, cardArt, hidden, html, points, spoken, svg } from './draw.js';
import { t, tn } from './i18n.js';

export class SeenCards {
  /** @param deck all 72 cards */
  constructor(deck) {
    this.byId = new Map(deck.map((card) => [card.id, card]));
    this.overlay = svg('svg', { class: 'overlay', role: 'img', 'aria-label': t('Photo with the cards that were read') });
    this.figure = html('figure', { class: 'photo panel' }, this.overlay);
  }

  show({ cards }, photo) {
    const { url, width = 1, height = 1 } = photo;
    this.overlay.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.overlay.replaceChildren(svg('image', { href: url, width, height }), ...cards.map(({ quad, sure }) =>
      svg('g', { class: sure ? 'cell' : 'cell doubtful' }, ...['cell-glow', 'cell-line'].map((name) =>
        svg('polygon', { class: name, points: quad.map((corner) => corner.join(',')).join(' ') })))));
    const sum = cards.reduce((total, card) => total + card.points, 0);
    $('score-title').textContent = tn('%(n)s card on the photo', '%(n)s cards on the photo', cards.length);
    $('score-hint').textContent = t('%(points)s if all of them are scored', { points: points(sum) });
    $('score-lines').replaceChildren(html('li', {}, html('ul', { class: 'deck' }, ...cards.map(({ id, sure }) =>
      html('li', { class: sure ? 'card' : 'card doubtful' }, cardArt(this.byId.get(id)),
        hidden(spoken(this.byId.get(id).pattern)),
        sure ? null : html('span', { class: 'hint' }, t('please check')))))));
  }
}
