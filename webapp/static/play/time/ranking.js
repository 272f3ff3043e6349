// The ranking of the seasons with what decides each place, the players' points, and the goals when playing alone.

import { $, button, hidden, html, icon, points } from '../../draw.js';
import { sentences, t, tn } from '../../i18n.js';
import { cardsWord, face } from './words.js';
import { inOrder, SEASON } from '../words.js';

export class Ranking {
  constructor(page) {
    this.page = page;
    this.chosen = null; // the season whose cards are lit
  }

  draw() {
    const { view } = this.page;
    if (!this.page.lit) this.chosen = null;
    $('pane-ranking').replaceChildren(...[
      view.solo ? this.#goals(view.solo) : null,
      html('section', { class: 'panel time-ranks', 'aria-labelledby': 'ranks-title' },
        html('h3', { id: 'ranks-title' }, view.full ? t('The seasons at the end') : t('The seasons, if it ended now')),
        html('ol', {}, ...view.ranking.map((row) => this.#row(row))),
        html('p', { class: 'hint' }, view.ranking_says, ' ', t('Tap a season to see its cards.'))),
      view.solo ? null : this.#players(view),
    ].filter(Boolean));
  }

  #row(row) {
    const { view } = this.page;
    const isOpen = this.chosen === row.season;
    const player = view.players[row.seat];
    const who = view.solo ? '' : player ? player.name : t('nobody plays it');
    return html('li', {},
      button({
        class: `time-rank${isOpen ? ' open' : ''}`,
        'data-key': `rank-${row.season}`,
        'aria-expanded': String(isOpen),
        onclick: () => this.#toggle(row),
      },
      html('span', { class: 'time-place' }, `${row.place}.`),
      face(row.season),
      html('span', { class: 'time-rank-words' }, html('strong', {}, SEASON[row.season]),
        html('span', { class: 'hint' }, [cardsWord(row.cards), t('largest group %(n)s', { n: row.group }), who].filter(Boolean).join(' · '))),
      pointsOf(row.points)),
      isOpen ? html('p', { class: 'time-why' },
        t('%(season)s gets %(points)s.', { season: SEASON[row.season], points: points(row.points) }), ' ', row.says) : null);
  }

  #toggle(row) {
    this.chosen = this.chosen === row.season ? null : row.season;
    this.page.light(this.chosen ? { cells: row.cells, group: row.group_cells } : null);
    this.draw();
  }

  #players(view) {
    const winners = new Set(view.result.filter((row) => row.winner).map((row) => row.player));
    const isOver = this.page.game.over;
    return html('section', { class: 'panel time-players', 'aria-labelledby': 'players-title' },
      html('h3', { id: 'players-title' }, t('The players')),
      html('ul', {}, ...inOrder(view.players, view.result, isOver).map((player) => html('li', { class: player.has_turn ? 'has-turn' : '' },
        html('span', { class: 'time-player-faces', 'aria-hidden': 'true' }, ...player.seasons.map((season) => face(season, 'time-mini'))),
        html('span', { class: 'time-rank-words' },
          html('strong', {}, player.name, isOver && winners.has(player.name)
            ? html('span', { class: 'time-won' }, icon('check'), t('wins')) : null),
          html('span', { class: 'hint' }, player.lines.map((line) => `${SEASON[line.season]} ${line.points}`).join(' + ') || t('no season yet'))),
        pointsOf(player.total)))));
  }

  #goals({ balance, dominance, goal }) {
    const counts = Object.entries(balance.counts).map(([season, n]) => `${SEASON[season]} ${n}`).join(t(', '));
    const rows = [];
    if (goal !== 'balance') {
      rows.push(goalRow(dominance.says, dominance.reached,
        t('Largest group: %(season)s with %(group)s.', { season: SEASON[dominance.season], group: dominance.group })));
    }
    if (goal !== 'dominance') {
      rows.push(goalRow(balance.says, balance.reached, t('Now %(counts)s.', { counts })));
    }
    return html('section', { class: 'panel time-goals', 'aria-labelledby': 'goals-title' },
      html('h3', { id: 'goals-title' }, t('Your goal when all cards lie')), html('ul', {}, ...rows));
  }
}

const pointsOf = (n) => html('span', { class: 'time-points' }, String(n), ' ', hidden(tn('point', 'points', n)));

const goalRow = (title, isReached, now) => html('li', { class: isReached ? 'reached' : '' },
  html('span', { class: 'time-goal-mark', 'aria-hidden': 'true' }, isReached ? icon('check') : ''),
  html('span', { class: 'time-rank-words' }, html('strong', {}, title),
    html('span', { class: 'hint' }, isReached ? sentences([t('Reached!'), now]) : now)));
