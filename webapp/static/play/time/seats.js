// Who plays which season, and who begins.

import { $, button, html } from '../../draw.js';
import { t } from '../../i18n.js';
import { face } from './words.js';
import { SEASON } from '../words.js';

export class Seats {
  constructor(page) {
    this.page = page;
    $('seats').addEventListener('click', () => $('seats-sheet').showModal());
  }

  draw() {
    const { players, seats_say: says } = this.page.view;
    $('seats-hint').textContent = says;
    $('seats-list').replaceChildren(...players.map((player) => this.#player(player)), this.#first());
  }

  #player(player) {
    const { page } = this;
    const { most_seasons: most } = page.view;
    return html('section', { class: 'time-seat' },
      html('h3', { id: `seat-${player.seat}` }, player.name),
      html('div', { class: 'time-sides', role: 'group', 'aria-labelledby': `seat-${player.seat}` },
        ...page.view.seasons.map((season) => button({
          class: 'symbol',
          'data-key': `seat-${player.seat}-${season}`,
          'aria-pressed': String(player.seasons.includes(season)),
          onclick: () => {
            const others = player.seasons.filter((own) => own !== season);
            if (player.seasons.length > 0 && others.length === 0) return undefined;
            const seasons = player.seasons.includes(season) ? others : [...player.seasons, season].slice(-most);
            return page.act({ type: 'seasons', seat: player.seat, seasons });
          },
        }, face(season), html('span', {}, SEASON[season])))));
  }

  #first() {
    const { page } = this;
    const { players, turn } = page.view;
    if (turn.played > 0) return html('p', { class: 'hint' }, t('%(name)s began.', { name: players[turn.order[0]].name }));
    return html('section', { class: 'time-seat' },
      html('h3', { id: 'seat-first' }, t('Who begins?')),
      html('div', { class: 'time-first', role: 'group', 'aria-labelledby': 'seat-first' }, ...players.map((player) => button({
        class: 'chip',
        'data-key': `first-${player.seat}`,
        'aria-pressed': String(turn.order[0] === player.seat),
        onclick: () => page.act({ type: 'first', seat: player.seat }),
      }, player.name))));
  }
}
