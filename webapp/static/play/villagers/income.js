// Gold beside the markets: the hand, events, bronze, and what was taken.

import { $, html } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { chip, gold, METAL, nameOf, TAKEN } from './words.js';

export class Income {
  constructor(page) {
    this.page = page;
  }

  draw() {
    this.#drawHand();
    this.#drawEvents();
    this.#drawBronze();
  }

  #drawHand() {
    const { hand, hand_count: count } = this.page.player;
    const nodes = [html('h3', {}, tn('Hand: 1 card', 'Hand: %(n)s cards', count))];
    if (hand === null) nodes.push(html('p', { class: 'hint' }, t('Only its owner sees the cards until the end.')));
    else {
      nodes.push(html('ul', { class: 'vil-chips' }, ...hand.map((name) => html('li', {}, chip(name, () => this.page.spots.ask(name, t('A card of the hand'), [
        ...(this.page.cards.get(name)?.place === 'NOWHERE' ? [] : [[t('Build it'), () => this.page.deck.lay(this.page.cards.get(name), { from_hand: true })]]),
        [t('Put it away'), () => this.page.actHere('hand_drop', { name })],
      ]), { disabled: !this.page.mayEdit })))));
      if (this.page.mayEdit) nodes.push(chip(t('Add to the hand'), () => this.page.deck.open({ goal: 'hand' })));
    }
    $('vil-hand').replaceChildren(...nodes);
  }

  /** A line with its gold, a way to light the cards, and a way to take it. */
  #income({ key, title, text, amount, ids = [], take = null, more = [] }) {
    const shown = ids.length > 0 && ids.length === this.page.lit.size && ids.every((id) => this.page.lit.has(id));
    return html('li', { 'data-income': key },
      html('div', { class: 'vil-income-head' }, html('strong', {}, title), html('b', {}, amount === null ? '' : gold(amount))),
      html('p', { class: 'hint' }, text),
      ...more,
      html('div', { class: 'vil-chips' },
        ids.length ? chip(t('Show the cards'), () => {
          this.page.light(shown ? [] : ids);
          this.page.show();
          $('vil-chains').scrollIntoView({ block: 'nearest' });
        }, { 'aria-pressed': String(shown) }) : null,
        take && this.page.mayEdit ? chip(t('Take %(n)s gold', { n: amount }), take) : null));
  }

  #take(what, fields = {}) { return () => this.page.actHere('take', { what, ...fields }); }

  #drawEvents() {
    $('vil-events-box').hidden = this.page.view.players[this.page.seat].events.length === 0;
    $('vil-events').replaceChildren(...this.page.player.events.flatMap((one) => {
      const base = { key: one.event, title: one.title, text: one.says, amount: one.gold };
      if (one.event === 'developments') return [this.#income({ ...base, more: [html('p', {}, tn('1 card in hand', '%(n)s cards in hand', one.hand))], take: one.gold ? this.#take('developments') : null })];
      if (one.event === 'travellers') return [this.#income({ ...base, ids: one.ids, take: one.gold ? this.#take('travellers') : null })];
      if (one.event === 'caravans') return [this.#income({ ...base, ids: one.lines.map(({ id }) => id), take: one.gold ? this.#take('caravans') : null })];
      if (one.event === 'merchants') {
        return [this.#income({ ...base, amount: null }), ...one.chains.filter((chain) => chain.gold).map((chain) => this.#income({
          key: `merchants-${chain.root}`,
          title: t('Chain of %(name)s', { name: nameOf(chain.name) }),
          text: chain.lines.map((line) => `${nameOf(line.name)} ${['gold', 'silver', 'bronze', 'coins'].filter((metal) => line[metal]).map((metal) => `${line[metal]} ${METAL[metal]}`).join(' + ')}`).join(t(', ')),
          amount: chain.gold,
          ids: chain.lines.map(({ id }) => id),
          take: this.#take('merchants', { id: chain.root }),
        }))];
      }
      return [this.#income({ ...base, amount: null }), ...one.cards.map((held) => this.#income({
        key: `envoys-${held.name}`,
        title: held.name,
        text: held.says,
        amount: held.gold,
        take: this.#take('envoys', { name: held.name }),
      }))];
    }));
  }

  #drawBronze() {
    const { bronze, inventors } = this.page.player;
    $('vil-bronze-box').hidden = bronze.length + inventors.length === 0;
    $('vil-bronze').replaceChildren(
      ...bronze.map((one) => this.#income({ key: `bronze-${one.id}`, title: nameOf(one.name), text: one.reason.says, amount: one.gold, ids: one.ids, take: one.gold ? this.#take('bronze', { id: one.id }) : null })),
      ...inventors.map((one) => this.#income({ key: `inventor-${one.id}`, title: t('Inventor'), text: one.says, amount: one.gold, ids: one.villagers, take: this.#take('inventor', { id: one.id }) })));
    $('vil-taken-box').hidden = this.page.player.taken.length === 0;
    $('vil-taken').replaceChildren(...this.page.player.taken.map((entry) => html('li', {},
      html('span', {}, [TAKEN[entry.what], entry.name, entry.holder ? t('to %(name)s', { name: entry.holder }) : null].filter(Boolean).join(' · ')),
      html('b', {}, gold(entry.gold)))));
  }
}
