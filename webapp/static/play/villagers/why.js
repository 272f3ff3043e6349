// Why a villager gives its gold, and what may be done with it.

import { $, html } from '../../draw.js';
import { t } from '../../i18n.js';
import { Stepper } from './stepper.js';
import { chip, gold, nameOf, signs, suitPicture } from './words.js';

export class Why {
  constructor(page) {
    this.page = page;
    this.coins = new Stepper($('vil-why-coins'), () => this.#asked());
    $('vil-why-close').addEventListener('click', () => this.#close());
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && page.chosen !== null && !document.querySelector('dialog[open]')) this.#close();
    });
  }

  explain(id) {
    this.page.chosen = id;
    const one = id === null ? null : this.page.villager(id);
    this.page.lit = new Set(one ? one.reasons.flatMap((reason) => reason.ids) : []);
    this.page.show();
    if (one) {
      $('vil-why-title').focus({ preventScroll: true });
      document.querySelector(`.vil-card[data-id="${id}"]`)?.scrollIntoView({ block: 'center' });
      this.page.table.say(`${nameOf(one.name)}: ${gold(one.points[this.page.market])}. ${one.reasons.map(({ says }) => says).join(' ')}`);
    }
  }

  draw() {
    const one = this.page.chosen === null ? null : this.page.villager(this.page.chosen);
    if (!one) this.page.chosen = null;
    $('vil-why').hidden = !one;
    document.body.classList.toggle('why-open', Boolean(one));
    if (!one) return;
    const card = this.page.cards.get(one.name);
    $('vil-why-art').replaceChildren(suitPicture(one.suit));
    $('vil-why-title').textContent = `${nameOf(one.name)}: ${gold(one.points[this.page.market])}`;
    $('vil-why-signs').replaceChildren(...(card ? signs(card) : []));
    const waits = (reason) => reason.later?.[this.page.market];
    const lines = one.reasons.map((reason) => html('li', {},
      html('span', {}, reason.says + (waits(reason) ? ` – ${waits(reason)}` : '')),
      reason.amount === undefined ? null : html('b', {}, waits(reason) ? `(${reason.amount})` : `+${reason.amount}`)));
    $('vil-why-lines').replaceChildren(...(lines.length ? lines : [html('li', {}, t('Shows no gold or silver.'))]));
    $('vil-why-coins').hidden = !this.page.mayEdit;
    if (!this.page.mayEdit) { $('vil-why-buttons').replaceChildren(); return; }
    this.coins.draw();
    this.#drawButtons(one, card);
  }

  /** The coins of the villager that is explained. */
  #asked() {
    const one = this.page.villager(this.page.chosen);
    return one ? { key: one.id, label: t('Coins'), value: one.coins, send: (coins) => this.page.actHere('coins', { id: one.id, coins }) } : null;
  }

  #drawButtons(one, card) {
    const isPaid = this.page.player.taken.some(({ what, id, name }) => what === 'unlock' && id === one.id && name === one.name);
    const fee = card?.lock && !isPaid ? this.page.player.fees[card.lock] : null;
    const top = this.page.player.cards.filter((other) => other.on === one.id);
    const { on, between } = this.page.spots.of({ place: 'CHAIN_ANYWHERE' });
    const inProduction = [...on, ...between].includes(one.id);
    $('vil-why-buttons').replaceChildren(...[
      inProduction ? chip(t('Put a card on it'), () => this.page.deck.open({ on: one.id })) : null,
      one.turns ? chip(t('Turn it over'), () => this.page.actHere('replace', { id: one.id, name: one.name.endsWith('!') ? one.name.slice(0, -1) : `${one.name}!` })) : null,
      fee ? chip(fee.says, () => this.#payPadlock(one, card, fee)) : null,
      chip(t('Swap for another card'), () => this.page.deck.open({ replace: one.id })),
      chip(t('Move'), () => this.page.spots.move(one)),
      chip(t('Remove'), () => this.#remove({ id: one.id })),
      top.length ? chip(t('Remove with all on it'), () => this.#remove({ id: one.id, above: true })) : null,
    ].filter(Boolean));
  }

  /** Pays for a padlock; where several others could be paid, the player says who. */
  #payPadlock(one, card, fee) {
    const pay = (holder, seen) => this.page.actHere('unlock', { name: one.name, id: one.id, holder }, seen);
    if (fee.holders.length < 2) return pay(fee.holders[0]);
    return this.page.spots.ask(t('Whose %(lock)s is paid?', { lock: card.lock }), fee.says,
      fee.holders.map((at) => [this.page.view.players[at].name, (seen) => pay(at, seen)]));
  }

  #remove(fields) {
    this.page.light([]);
    this.page.actHere('remove', fields);
  }

  #close() {
    const was = this.page.chosen;
    this.explain(null);
    document.querySelector(`.vil-card[data-id="${was}"]`)?.focus({ preventScroll: true });
  }
}
