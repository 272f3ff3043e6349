// The list of cards: found by name, suit or what they show, and laid where they belong.

import { $, button, html } from '../../draw.js';
import { t } from '../../i18n.js';
import { METAL, nameOf, placeText, signs, SUIT, suitCalled, suitPicture } from './words.js';

const MOST_SHOWN = 60;

export class Deck {
  constructor(page) {
    this.page = page;
    this.adding = null; // while the list is open: { goal, on, replace, road, suit }, and the version at its opening: { seen }
    this.#listen();
  }

  /**
   * Opens the list.
   * @param what where the card goes: `on` or instead of (`replace`) a villager, to the `goal` 'village' or 'hand', or to the `road`
   */
  open(what = {}) {
    this.adding = { goal: 'village', on: null, replace: null, road: false, suit: null, seen: this.page.game.version, ...what };
    const target = this.adding.on ?? this.adding.replace;
    $('vil-deck-title').textContent = this.adding.road ? t('Villagers of the road')
      : this.adding.replace !== null ? t('Which card lies there instead of %(name)s?', { name: nameOf(this.page.villager(target).name) })
        : this.adding.on !== null ? t('What lies on %(name)s?', { name: nameOf(this.page.villager(target).name) })
          : t('Cards of %(name)s', { name: this.page.player.name });
    $('vil-deck-hint').textContent = this.adding.on === null && this.adding.replace === null && !this.adding.road
      ? t('Tap the top card of a chain: what must lie below it comes along.') : '';
    $('vil-goal').hidden = this.adding.on !== null || this.adding.replace !== null || this.adding.road;
    $('vil-own').hidden = this.adding.road;
    $('vil-query').value = '';
    $('vil-added').textContent = '';
    this.draw();
    $('vil-deck').showModal();
    if (window.matchMedia('(hover: hover)').matches) $('vil-query').focus();
  }

  #matching() {
    const asked = $('vil-query').value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const boxes = new Set(this.page.view.boxes);
    const host = this.adding.on === null ? null : this.page.villager(this.adding.on);
    const fits = (card) => host && (card.on === host.name.replace('!', '') || this.page.spots.of(card).on.includes(host.id) || this.page.spots.of(card).between.includes(host.id));
    const order = (card) => (fits(card) ? -8 : 0)
      + (asked.length && card.name.toLowerCase().startsWith(asked[0]) ? -4 : 0)
      + (boxes.has(card.box) || card.own ? 0 : 2);
    return this.page.view.deck
      .filter((card) => (!this.adding.suit || card.suit === this.adding.suit) && asked.every((word) => words(card).includes(word)))
      .filter((card) => asked.length || this.adding.suit || boxes.has(card.box) || card.own)
      .filter((card) => !host || asked.length || fits(card))
      .map((card) => [order(card), card])
      .sort(([a], [b]) => a - b)
      .map(([, card]) => card)
      .slice(0, MOST_SHOWN);
  }

  draw() {
    for (const one of $('vil-goal').children) one.setAttribute('aria-pressed', String(one.dataset.goal === this.adding.goal));
    const suits = [...new Set(this.page.view.deck.map((card) => card.suit))];
    $('vil-suits').replaceChildren(...suits.map((suit) => button({
      class: 'vil-suit',
      'data-suit': suit,
      'aria-pressed': String(this.adding.suit === suit),
      'aria-label': SUIT[suit] ?? (suit || t('no suit')),
      title: SUIT[suit] ?? suit,
      onclick: () => { this.adding.suit = this.adding.suit === suit ? null : suit; this.draw(); },
    }, suitPicture(suit))));
    const found = this.#matching();
    const tally = new Map();
    for (const name of this.adding.goal === 'hand' ? this.page.player.hand ?? [] : this.adding.road ? this.page.view.monastery.road : this.page.player.cards.map((one) => one.name.replace('!', ''))) {
      tally.set(name, (tally.get(name) ?? 0) + 1);
    }
    $('vil-found').replaceChildren(found.length ? html('ul', { class: 'vil-deck' }, ...found.map((card) => html('li', {}, button({
      class: 'pick-card',
      'data-name': card.name,
      disabled: this.adding.goal === 'village' && !this.adding.road && this.adding.replace === null && card.place === 'NOWHERE',
      onclick: () => this.#picked(card),
    },
    suitPicture(card.suit),
    html('span', { class: 'vil-deck-text' }, html('strong', {}, card.name, tally.has(card.name) ? html('span', { class: 'vil-count' }, `×${tally.get(card.name)}`) : null),
      html('span', { class: 'vil-signs' }, ...signs(card)),
      html('small', {}, placeText(card))))))) : html('p', { class: 'hint' }, t('No card is called so. “Another card” lets you type it in.')));
  }

  async #picked(card) {
    if (this.adding.road) return this.page.act({ type: 'road', cards: [...this.page.view.monastery.road, card.name] }).then((done) => done && this.#added(card));
    if (this.adding.replace !== null) {
      $('vil-deck').close();
      return this.page.actHere('replace', { id: this.adding.replace, name: card.name }, this.adding.seen);
    }
    if (this.adding.goal === 'hand') return this.page.actHere('hand_add', { name: card.name }).then((done) => done && this.#added(card));
    if (this.adding.on !== null) {
      const between = this.page.spots.of(card).between.includes(this.adding.on);
      $('vil-deck').close();
      return this.page.actHere('add', { name: card.name, on: this.adding.on, between });
    }
    return this.lay(card, {});
  }

  /** Lays a card where it belongs; asks only if there is a choice that matters. */
  lay(card, more) {
    const spots = this.page.spots.of(card);
    if (card.place.startsWith('CHAIN_')) {
      this.page.spots.ask(t('Where does the %(name)s lie?', { name: card.name }), card.says, [
        ...spots.on.map((id) => [t('On %(card)s', { card: this.page.spots.nameOf(id) }), () => this.#add(card, { on: id, ...more })]),
        ...spots.between.map((id) => [t('Between %(card)s and what lies on it', { card: this.page.spots.nameOf(id) }), () => this.#add(card, { on: id, between: true, ...more })]),
        ...(spots.on.length + spots.between.length ? [] : [[t('There is no chain yet: lay it down by itself'), () => this.#add(card, { on: null, ...more })]]),
      ]);
      return undefined;
    }
    return this.#add(card, { on: null, ...more });
  }

  async #add(card, fields) {
    const before = new Set(this.page.player.cards.map((one) => one.id));
    const newer = await this.page.actHere('add', { name: card.name, ...fields });
    if (newer) this.#added(card, this.page.player.cards.filter((one) => !before.has(one.id) && one.name !== card.name).map((one) => one.name));
  }

  #added(card, below = []) {
    $('vil-added').textContent = below.length
      ? t('%(name)s is there, with %(below)s below it.', { name: card.name, below: below.join(t(', ')) })
      : t('%(name)s is there.', { name: card.name });
    if (!$('vil-deck').open) return; // a card of the hand was built
    if ($('vil-query').value) { $('vil-query').value = ''; $('vil-query').focus(); }
    this.draw();
  }

  /** Opens the form for a card that the list lacks. */
  #openOwn() {
    $('vil-own-form').reset();
    $('vil-own-form').elements.name.value = $('vil-query').value;
    $('vil-suit-list').replaceChildren(...Object.values(SUIT).map((suit) => html('option', { value: suit })));
    $('vil-card-list').replaceChildren(...this.page.view.deck.map((card) => html('option', { value: card.name })));
    $('vil-own-sheet').showModal();
  }

  async #saveOwn() {
    const row = {};
    for (const field of $('vil-own-form').elements) {
      if (field.type === 'checkbox') continue;
      if (field.name && field.value.trim()) row[field.name] = field.value.trim();
    }
    if (row.suit) row.suit = suitCalled(row.suit);
    if ($('vil-own-form').elements.key.checked) row.key = 'yes';
    if ($('vil-own-form').elements.branches.checked) row.note = 'two branches';
    try {
      await this.page.table.act({ type: 'custom_card', row });
      $('vil-own-sheet').close();
      $('vil-query').value = row.name;
      this.draw();
    } catch (error) {
      $('vil-own-form').elements.namedItem(error.code.replace('custom_', ''))?.focus();
    }
  }

  #listen() {
    $('vil-add').addEventListener('click', () => this.open());
    $('vil-query').addEventListener('input', () => { this.adding.suit = null; this.draw(); });
    $('vil-query').addEventListener('keydown', (event) => {
      const [first] = $('vil-query').value.trim() ? this.#matching() : [];
      if (event.key === 'Enter' && first) { event.preventDefault(); this.#picked(first); }
    });
    for (const one of $('vil-goal').children) one.addEventListener('click', () => { this.adding.goal = one.dataset.goal; this.draw(); });
    $('vil-own').addEventListener('click', () => this.#openOwn());
    $('vil-own-form').addEventListener('submit', (event) => { event.preventDefault(); this.#saveOwn(); });
  }
}

/** What a card is found by. */
const words = (card) => [card.name, card.suit, SUIT[card.suit] ?? '', card.on, card.lock,
  ...['gold', 'silver', 'bronze'].flatMap((metal) => (card[metal] ? [metal, METAL[metal], card[metal].says] : [])),
  card.food ? `food ${t('food')}` : '', card.builder ? `builder ${t('builder')}` : '', card.key ? `key ${t('key ring')}` : ''].join(' ').toLowerCase();
