// The score pad of the seasons: a line for each card, a column for each player.

import { $, button, hidden, html, points } from '../../draw.js';
import { t } from '../../i18n.js';
import { cardPicture, tile } from './words.js';

export class Pad {
  constructor(page) {
    this.page = page;
  }

  draw() {
    const { seat, view, game } = this.page;
    const before = game.view.players;
    $('sea-pad').replaceChildren(html('table', { class: 'sea-table' },
      html('thead', {}, html('tr', {}, html('th', { scope: 'col' }, hidden(t('Score card'))),
        ...view.players.map((one) => html('th', { scope: 'col', class: one.seat === seat ? 'own' : null },
          tile(one.season), html('span', {}, one.name))))),
      html('tbody', {}, ...view.cards.map(({ card, number, title }, at) => html('tr', {},
        html('th', { scope: 'row' }, html('div', { class: 'sea-card-head' }, cardPicture(card),
          html('span', {}, title, number ? html('small', {}, ` ${t('no. %(n)s', { n: number })}`) : null))),
        ...view.players.map((one) => this.#field(one, { card, title }, one.cards[at].points, before[one.seat].cards[at].points))))),
      html('tfoot', {},
        html('tr', { class: 'sea-total' }, html('th', { scope: 'row' }, t('Total')),
          ...view.players.map((one) => html('td', { class: one.winner ? 'first' : null }, html('strong', {}, String(one.total)),
            this.page.gain(one.total, before[one.seat].total),
            html('small', {}, one.winner ? t('%(n)s. ★', { n: one.rank }) : t('%(n)s.', { n: one.rank }))))),
        html('tr', { class: 'sea-precious' }, html('th', { scope: 'row' }, t('Precious')),
          ...view.players.map((one) => html('td', {}, String(one.precious)))))));
    $('sea-tie').hidden = !view.tie;
    $('sea-tie').textContent = view.tie ?? '';
  }

  #field(one, { card, title }, value, before) {
    const { page } = this;
    return html('td', {}, button({
      class: 'sea-field',
      'data-card': card,
      'data-seat': one.seat,
      'aria-pressed': String(page.chosen?.card === card && one.seat === page.seat),
      onclick: () => page.why.explain(one.seat, card),
    }, hidden(`${one.name}, ${title}: `), html('span', { 'aria-hidden': 'true' }, String(value)), hidden(points(value)),
    page.gain(value, before)));
  }
}
