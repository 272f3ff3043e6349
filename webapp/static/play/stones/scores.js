// The scores: cards, points and bonus of every player, each figure with its reason.

import { $, button, cardArt, hidden, html, icon, points } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { cardName } from './words.js';
import { inOrder } from '../words.js';

export class Scores {
  constructor(page) {
    this.page = page;
    this.chosen = null; // the scored card whose removal is asked for
  }

  draw() {
    const { view } = this.page;
    const winners = new Set(view.result.filter((row) => row.winner).map((row) => row.player));
    const isOver = view.end.over || this.page.game.finished;
    $('pane-scores').replaceChildren(
      ...inOrder(view.players, view.result, isOver).map((player) => this.#player(player, isOver && winners.has(player.name))),
      this.#rules());
  }

  #player(player, hasWon) {
    const { page } = this;
    const { view } = page;
    const cards = player.scored.map((id) => page.byId.get(id)).sort((a, b) => b.points - a.points || a.id - b.id);
    const held = player.seat === page.seat ? null : tn('%(n)s card in hand', '%(n)s cards in hand', player.cards);
    const progress = view.end.at
      ? t('%(n)s of %(at)s cards', { n: cards.length, at: view.end.at })
      : tn('%(n)s card', '%(n)s cards', cards.length);
    return html('section', { class: `panel stones-player${player.has_turn && !view.end.over ? ' has-turn' : ''}` },
      html('div', { class: 'stones-player-head' },
        html('h3', {}, player.name, hasWon ? html('span', { class: 'stones-won' }, icon('check'), t('wins')) : null),
        html('p', { class: 'stones-total' }, String(player.total), ' ', hidden(t('points in all')))),
      html('p', { class: 'hint' }, [progress, held, player.has_skipped && t('skipped the last turn')].filter(Boolean).join(' · ')),
      cards.length ? html('ul', { class: 'stones-scored' }, ...cards.map((card) => html('li', {}, this.#card(card)))) : null,
      this.#asked(player),
      html('dl', { class: 'stones-sum' },
        html('dt', {}, this.#pointsWords(cards)), html('dd', {}, String(player.points)),
        html('dt', {}, player.bonus_why.says), html('dd', {}, player.bonus ? `+${player.bonus}` : '0')),
      page.mayEdit ? button({
        class: 'chip',
        'data-key': `award-${player.seat}`,
        onclick: () => page.cards.pickAward(player.seat),
      }, icon('plus'), t('Add a scored card'), hidden(`: ${player.name}`)) : null);
  }

  #card(card) {
    const { page } = this;
    return button({
      class: 'card',
      'data-key': `scored-${card.id}`,
      'aria-label': cardName(card),
      'aria-expanded': page.mayEdit ? String(this.chosen === card.id) : null,
      disabled: !page.mayEdit,
      onclick: () => {
        this.chosen = this.chosen === card.id ? null : card.id;
        this.draw();
      },
    }, cardArt(card));
  }

  #asked(player) {
    if (!this.page.mayEdit || !player.scored.includes(this.chosen)) return null;
    const card = this.page.byId.get(this.chosen);
    return html('div', { class: 'stones-news' },
      html('span', {}, cardName(card)),
      button({
        class: 'chip',
        'data-key': 'unscore',
        onclick: () => {
          this.chosen = null;
          this.page.act({ type: 'unscore', seat: player.seat, card: card.id }, t('Taken back.'));
        },
      }, t('Take it back')));
  }

  #pointsWords(cards) {
    if (!cards.length) return t('No cards scored yet');
    const values = [...new Set(cards.map((card) => card.points))]; // the most first, as the cards are
    const counts = values.map((value) => [value, cards.filter((card) => card.points === value).length]);
    return counts.map(([value, n]) => t('%(n)s × %(points)s', { n, points: points(value) })).join(' + ');
  }

  #rules() {
    const { view } = this.page;
    const deck = view.deck
      ? t('Draw pile %(cards)s, discards %(discards)s.', view.deck)
      : t('The draw pile is not counted any more: not every move was told here.');
    return html('p', { class: 'hint stones-rules' }, view.end.says, ' ', deck);
  }
}
