// The villages of Villagers: chains of cards, each with what it gives.

import { $, button, hidden, html } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { chip, gold, nameOf, picture, suitPicture } from './words.js';

export class Village {
  constructor(page) {
    this.page = page;
  }

  draw() {
    const above = new Map();
    for (const one of this.page.player.cards) above.set(one.on, [...(above.get(one.on) ?? []), one]);
    const line = (first) => {
      const items = [];
      let one = first;
      for (;;) {
        const next = above.get(one.id) ?? [];
        items.push(html('li', {}, this.#card(one)));
        if (next.length !== 1) {
          if (next.length) items.push(html('li', { class: 'vil-branches' }, ...next.map((branch) => html('ol', { class: 'vil-line' }, ...line(branch)))));
          return items;
        }
        [one] = next;
      }
    };
    const roots = above.get(null) ?? [];
    const inChain = (first) => [first, ...(above.get(first.id) ?? []).flatMap(inChain)];
    $('vil-chains').classList.toggle('explaining', this.page.lit.size > 0);
    $('vil-chains').replaceChildren(...roots.map((first) => {
      const all = inChain(first);
      const sum = all.reduce((total, one) => total + one.points[this.page.market], 0);
      return html('li', { class: 'vil-chain panel' },
        html('ol', { class: 'vil-line', 'aria-label': t('Chain of %(name)s: %(gold)s', { name: nameOf(first.name), gold: gold(sum) }) }, ...line(first)),
        all.length > 1 ? html('p', { class: 'vil-chain-sum' }, t('Chain: %(n)s', { n: sum })) : null);
    }), ...(roots.length ? [] : [html('li', { class: 'vil-none' },
      html('p', {}, t('No villager yet. Tap the top card of a chain: what must lie below it comes along.')),
      this.page.mayEdit ? html('div', { class: 'vil-chips' }, ...this.page.view.deck.filter(({ place }) => place === 'BOTTOM').map(({ name }) => chip(name, () => this.page.actHere('add', { name, on: null })))) : null)]));
    $('vil-problems').replaceChildren(...this.page.player.problems.map(({ message }) => html('p', { class: 'problem' }, message)));
  }

  #card(one) {
    const card = this.page.cards.get(one.name) ?? {};
    const value = one.points[this.page.market];
    const state = one.covered && !one.counts ? t('covered') : one.engineered ? t('counts under an Engineer') : null;
    return button({
      class: ['vil-card', one.covered && !one.counts && 'covered', this.page.lit.has(one.id) && 'lit', this.page.chosen === one.id && 'chosen'].filter(Boolean).join(' '),
      'data-id': one.id,
      'aria-pressed': String(this.page.chosen === one.id),
      onclick: () => this.page.why.explain(this.page.chosen === one.id ? null : one.id),
    },
    suitPicture(one.suit),
    html('span', { class: 'vil-name' }, nameOf(one.name), hidden(['', state, one.coins ? tn('1 coin on it', '%(n)s coins on it', one.coins) : null, this.page.lit.has(one.id) ? t('counted') : null, ' ']
      .filter((part) => part !== null).join(t(', ')))),
    html('span', { class: 'vil-marks', 'aria-hidden': 'true' },
      ...(one.counts ? [...Array.from({ length: card.food ?? 0 }, () => picture('sign-food')), ...Array.from({ length: card.builder ?? 0 }, () => picture('sign-builder'))] : []),
      card.lock ? picture('sign-lock') : null, one.counts && card.key ? picture('sign-key') : null,
      one.reasons.some(({ kind, later }) => kind === 'silver' && later[this.page.market]) ? picture('coin-silver') : null,
      one.counts && card.bronze ? picture('coin-bronze') : null,
      one.coins ? html('span', { class: 'vil-coins' }, String(one.coins)) : null),
    html('b', { class: value ? 'vil-points' : 'vil-points none' }, html('span', { 'aria-hidden': 'true' }, String(value)), hidden(gold(value))));
  }
}
