// The table of Villagers: whose village is shown, the markets, and who leads.

import { $, button, html } from '../../draw.js';
import { t } from '../../i18n.js';
import { GamePage, mounting } from '../page.js';
import { Deck } from './deck.js';
import { Income } from './income.js';
import { Monastery } from './monastery.js';
import { Spots } from './spots.js';
import { Stepper } from './stepper.js';
import { Village } from './village.js';
import { Why } from './why.js';
import { gold, picture, SUIT, sign } from './words.js';

class Page extends GamePage {
  constructor(table, root) {
    super(table, root);
    this.seat = null; // whose village is shown
    this.market = '2';
    this.chosen = null; // the villager that is explained
    this.lit = new Set(); // the villagers that a figure counts
    this.cards = new Map(); // the deck by name
    this.village = new Village(this);
    this.why = new Why(this);
    this.spots = new Spots(this);
    this.deck = new Deck(this);
    this.income = new Income(this);
    this.monastery = new Monastery(this);
    this.supply = new Stepper($('vil-supply-stepper'), () => ({
      key: this.seat, label: this.player.name, value: this.player.supply, send: (gold) => this.actHere('supply', { gold }),
    }));
    this.markets = [...root.querySelectorAll('[data-market]')];
    this.#listen();
  }

  get player() { return this.view.players[this.seat]; }

  villager(id) { return this.player.cards.find((one) => one.id === id); }

  /** Does an action on the village that is shown; *seen* as in `act`. */
  actHere(type, fields = {}, seen = undefined) { return this.act({ type, seat: this.seat, ...fields }, '', seen); }

  /** Shows another player's village. */
  choose(seat) {
    this.seat = seat;
    this.light([]);
  }

  /** Lights villagers without explaining one. */
  light(ids) {
    this.chosen = null;
    this.lit = new Set(ids);
  }

  update(game) {
    const isFirst = this.game === null;
    this.game = game;
    this.keepSeat(game);
    if (isFirst) for (const id of ['vil-events-box', 'vil-bronze-box']) $(id).open = window.matchMedia('(min-width: 940px)').matches;
    this.cards = new Map(this.view.deck.flatMap((card) => [[card.name, card], ...(card.turned ? [[card.turned, { ...card, gold: null }]] : [])]));
    const explained = this.chosen === null ? null : this.villager(this.chosen);
    this.lit = new Set(explained ? explained.reasons.flatMap((reason) => reason.ids) : [...this.lit].filter((id) => this.villager(id)));
    this.show();
    if ($('vil-deck').open) this.deck.draw();
    if ($('vil-supply-sheet').open) this.supply.draw();
  }

  show() {
    this.#drawTabs();
    this.#drawMarket();
    this.#drawStanding();
    this.village.draw();
    this.why.draw();
    this.income.draw();
    this.monastery.draw();
    $('vil-actions').hidden = !this.mayEdit;
  }

  #drawTabs() {
    $('vil-tabs').hidden = this.view.players.length < 2;
    $('vil-tabs').replaceChildren(...this.view.players.map((one) => button({
      'data-seat': one.seat,
      'aria-pressed': String(one.seat === this.seat),
      onclick: () => {
        this.choose(one.seat);
        this.show();
      },
    }, html('span', {}, one.name), html('b', {}, picture('coin-gold', t('gold')), String(one.total)))));
    $('vil-title').textContent = t('Village of %(name)s', { name: this.player.name });
    const { counts } = this.player;
    $('vil-signs').replaceChildren(
      sign('sign-food', t('food'), counts.food), sign('sign-builder', t('builders'), counts.builders),
      sign('sign-lock', t('padlocks'), counts.padlocks), sign('coin-gold', t('gold symbols'), counts.gold_symbols),
      ...Object.entries(counts.suits).map(([suit, n]) => sign(`suit-${SUIT[suit] ? suit : 'other'}`, SUIT[suit] ?? suit, n)));
  }

  #drawMarket() {
    const { market, player } = this;
    const sums = player.markets[market];
    for (const one of this.markets) one.setAttribute('aria-pressed', String(one.dataset.market === market));
    const row = (label, value, strong = false) => html('tr', { class: strong ? 'total' : null }, html('th', { scope: 'row' }, label), html('td', {}, String(value)));
    $('vil-sums').replaceChildren(
      row(t('Gold of uncovered villagers'), sums.gold),
      row(t('Silver'), sums.silver),
      row(t('Coins on villagers'), sums.coins),
      row(t('Market'), sums.market, true),
      row(t('Supply'), sums.supply),
      row(market === '2' ? t('Gold at the end') : t('Gold after it'), sums.total, true));
    $('vil-market-hint').textContent = this.view.markets_say[market];
    $('vil-take-market').hidden = market === '2' || !this.mayEdit || player.taken.some(({ what }) => what === 'market');
    $('vil-take-market').textContent = t('Put %(n)s gold into the supply', { n: sums.market });
    $('vil-supply-text').textContent = t('Supply %(n)s', { n: player.supply });
    $('vil-supply').setAttribute('aria-label', t('Supply: %(n)s gold', { n: player.supply }));
  }

  #drawStanding() {
    const { players, tie } = this.view;
    $('vil-standing').hidden = players.length < 2;
    $('vil-ranking').replaceChildren(...[...players].sort((a, b) => a.rank - b.rank).map((one) => html('li', {},
      html('span', {}, `${one.rank}. ${one.name}`), html('b', {}, one.winner ? '★ ' : '', gold(one.total)))));
    $('vil-tie').hidden = !tie;
    $('vil-tie').textContent = tie ?? '';
  }

  #listen() {
    $('vil-take-market').addEventListener('click', () => this.actHere('take', { what: 'market' }));
    for (const one of this.markets) {
      one.addEventListener('click', () => {
        this.market = one.dataset.market;
        this.show();
      });
    }
    $('vil-supply').addEventListener('click', () => {
      this.supply.draw();
      $('vil-supply-sheet').showModal();
    });
  }
}

export const mount = mounting(Page);
