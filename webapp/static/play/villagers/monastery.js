// The Monastery: rounds, rank, priority of suits, and the road.

import { $, button, html, svg } from '../../draw.js';
import { t } from '../../i18n.js';
import { chip, gold, SUIT, suitPicture } from './words.js';

export class Monastery {
  constructor(page) {
    this.page = page;
    this.#listen();
  }

  draw() {
    const solo = this.page.view.monastery;
    $('vil-solo').hidden = !solo;
    if (!solo) return;
    $('vil-rank').textContent = solo.ranks.find((step) => step.rank === solo.rank)?.title ?? t('Not yet a hamlet');
    const top = solo.ranks.at(-1).gold;
    const share = (n) => Math.min(100, (100 * n) / top);
    $('vil-steps').replaceChildren(svg('svg', { viewBox: '0 0 100 12', preserveAspectRatio: 'none' },
      svg('rect', { class: 'vil-steps-all', width: 100, height: 12 }),
      svg('rect', { class: 'vil-steps-done', width: share(solo.gold), height: 12 }),
      ...solo.ranks.map((step) => svg('rect', { class: 'vil-steps-mark', x: share(step.gold) - 0.5, width: 0.8, height: 12 }))));
    const next = solo.ranks.find((step) => step.gold > solo.gold);
    $('vil-solo-text').textContent = next
      ? t('%(gold)s after the second market; %(missing)s more for %(rank)s.', { gold: gold(solo.gold), missing: next.gold - solo.gold, rank: next.title })
      : t('%(gold)s after the second market.', { gold: gold(solo.gold) });
    $('vil-rounds').replaceChildren(...Array.from({ length: solo.rounds }, (_, at) => html('li', {
      class: at < solo.finished_rounds ? 'done' : at === solo.finished_rounds && !solo.is_over ? 'now' : null,
      'aria-label': at < solo.finished_rounds ? t('round %(n)s, over', { n: at + 1 }) : t('round %(n)s', { n: at + 1 }),
      ...(at === solo.finished_rounds ? { 'aria-current': 'step' } : {}),
    }, at < solo.finished_rounds ? '✓' : String(at + 1))));
    $('vil-next').disabled = solo.is_over;
    $('vil-next').hidden = !this.page.mayEdit;
    $('vil-next').textContent = solo.is_over ? t('The game is over') : t('Round %(n)s is over', { n: solo.finished_rounds + 1 });
    $('vil-empty').checked = solo.stacks_are_empty;
    $('vil-empty').disabled = !this.page.mayEdit;
    $('vil-forbidden').hidden = !solo.forbidden;
    $('vil-forbidden').textContent = solo.forbidden;
    $('vil-priority').replaceChildren(...solo.suits.map((suit) => {
      const at = solo.priority.indexOf(suit);
      return button({
        class: 'vil-suit',
        'aria-pressed': String(at >= 0),
        'aria-label': at >= 0 ? t('%(suit)s, place %(n)s', { suit: SUIT[suit], n: at + 1 }) : SUIT[suit],
        disabled: !this.page.mayEdit,
        'data-suit': suit,
        onclick: () => this.page.act({ type: 'priority', suits: at >= 0 ? solo.priority.filter((one) => one !== suit) : [...solo.priority, suit] }),
      }, suitPicture(suit), at >= 0 ? html('span', { class: 'vil-order' }, String(at + 1)) : null);
    }));
    $('vil-road').replaceChildren(...solo.road.map((name, at) => chip(`${name} ×`, () => this.page.act({ type: 'road', cards: solo.road.filter((_, other) => other !== at) }),
      { 'aria-label': t('%(name)s: take off the road', { name }), class: solo.discards.includes(name) ? 'chip leaves' : 'chip', disabled: !this.page.mayEdit })),
    ...(this.page.mayEdit ? [chip(t('Add a villager of the road'), () => this.page.deck.open({ road: true }))] : []));
    $('vil-leaves').textContent = solo.discards.length === 0 ? ''
      : solo.discards.length === 1 ? t('%(name)s leaves the road.', { name: solo.discards[0] })
        : t('One of these leaves the road: %(names)s.', { names: solo.discards.join(t(', ')) });
  }

  #listen() {
    $('vil-next').addEventListener('click', () => this.page.act({ type: 'next_round', round: this.page.view.monastery.finished_rounds + 1 }));
    $('vil-empty').addEventListener('change', () => this.page.act({ type: 'stacks', empty: $('vil-empty').checked }));
  }
}
