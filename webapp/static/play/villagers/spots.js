// Where a card may lie in a village, and the sheet that asks for it.

import { $, button, html } from '../../draw.js';
import { t } from '../../i18n.js';
import { nameOf } from './words.js';

export class Spots {
  constructor(page) {
    this.page = page;
  }

  /** A villager that a card may lie on, with what lies below it, in words. */
  nameOf(id) {
    const one = this.page.villager(id);
    const below = [];
    for (let at = one.on; at !== null; at = this.page.villager(at).on) below.unshift(nameOf(this.page.villager(at).name));
    return [nameOf(one.name), below.length ? t('on %(cards)s', { cards: below.join(t(', ')) }) : null].filter(Boolean).join(' ');
  }

  /** Asks for one of the choices: [what it is called, what to do, given the version at the opening]. */
  ask(title, hint, choices) {
    const { version } = this.page.game;
    $('vil-spot-title').textContent = title;
    $('vil-spot-hint').textContent = hint;
    $('vil-spots').replaceChildren(...choices.map(([label, choose]) => html('li', {}, button({
      class: 'button', onclick: () => { $('vil-spot').close(); choose(version); },
    }, label))));
    $('vil-spot').showModal();
  }

  /** Asks where a villager moves to. */
  move(one) {
    const card = this.page.cards.get(one.name);
    const mine = new Set(this.#withAbove(one.id));
    const spots = this.of(card).on.filter((id) => !mine.has(id) && id !== one.on);
    this.ask(t('Move %(name)s', { name: nameOf(one.name) }), t('What lies on it moves along.'), [
      ...spots.map((id) => [t('On %(card)s', { card: this.nameOf(id) }), (seen) => this.page.actHere('shift', { id: one.id, on: id }, seen)]),
      ...(one.on === null ? [] : [[t('By itself'), (seen) => this.page.actHere('shift', { id: one.id, on: null }, seen)]]),
    ]);
  }

  #withAbove(id) {
    return [id, ...this.page.player.cards.filter((one) => one.on === id).flatMap((one) => this.#withAbove(one.id))];
  }

  /** The villagers that a card may lie on, and those above which it may be slid in. */
  of(card) {
    const { spots } = this.page.player;
    const found = [card?.on, card?.place].find((key) => Object.hasOwn(spots, key));
    return found ? spots[found] : { on: [], between: [] };
  }
}
