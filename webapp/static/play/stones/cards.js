// The own hand and the whole deck: what matches, how far away the rest is, the best turn, and one card in detail.

import { $, button, cardArt, hidden, html, icon, points, spoken } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { film, smallBoard } from './film.js';
import { CardPhoto } from './photo.js';
import { cardName, discards } from './words.js';
import { place } from '../words.js';

const FAR = 4; // from here on distances are one group

export class Cards {
  constructor(page) {
    this.page = page;
    this.open = null; // { id, at }: the card in detail, and which of its places
    this.best = false;
    this.picked = new Set();
    this.filter = new Set();
    this.award = null; // the seat the picker adds cards to; null while it is open for the own hand
    this.photo = new CardPhoto(page.table, () => this.#drawPicker());
    this.#listen();
  }

  get view() { return this.page.view; }

  /** Closes the card in detail. */
  leave() {
    if (this.open === null && !this.best) return;
    this.open = null;
    this.best = false;
    this.draw();
  }

  draw() {
    const { view } = this;
    const now = JSON.stringify([view.board.rows, view.hand?.cards]);
    if (now !== this.shown) { // the best turn and the places of a card belong to the stones they were asked for
      this.best = false;
      if (this.open && !this.page.byId.has(this.open.id)) this.open = null;
      if (this.open) {
        this.open.at = 0;
        this.page.lit = this.#places(this.open.id)[0] ?? [];
      } else {
        this.page.lit = [];
      }
    }
    this.shown = now;
    $('pane-hand').replaceChildren(...this.#hand().filter(Boolean));
    $('pane-cards').replaceChildren(...this.#deck().filter(Boolean));
    const count = $('tab-hand').querySelector('.count');
    count?.remove();
    const matching = this.#usable().filter((id) => this.#places(id).length).length;
    if ($('hand-picker').open) this.#renewPicker();
    if (matching) $('tab-hand').append(html('span', { class: 'count' }, String(matching), hidden(t('match now'))));
  }

  #places(id) { return this.view.matches[id] ?? []; }

  /** Cards of the own hand that nobody has scored meanwhile. */
  #usable() {
    const { hand } = this.view;
    return hand ? hand.cards.filter((id) => !hand.gone.includes(id)) : [];
  }

  // The own hand

  #hand() {
    const { view, page } = this;
    const { hand } = view;
    if (!hand) {
      return [html('p', { class: 'hint stones-empty' }, page.game.you.role === 'viewer'
        ? t('Hands are seen only by those who hold them.')
        : t('You have no seat at this table, so you hold no cards here.'))];
    }
    const usable = this.#usable();
    const children = [this.#handNews(hand)];
    if (!hand.cards.length) {
      children.push(page.mayEdit ? html('div', { class: 'stones-empty' },
        html('p', {}, t('Choose the cards you hold, and see which of them match.')),
        html('p', { class: 'hint' }, t('Nobody else sees them, only how many you hold.')),
        button({ class: 'button primary', 'data-key': 'choose-hand', onclick: () => this.#pickHand() },
          icon('plus'), t('Choose my cards'))) : html('p', { class: 'hint stones-empty' }, t('You chose no cards of your hand here.')));
      return children;
    }
    const order = [...usable].sort((a, b) => this.#distance(a) - this.#distance(b) || b - a);
    children.push(
      html('ul', { class: 'deck stones-hand' }, ...order.map((id) => html('li', {}, this.#card(id, 'hand'))),
        ...hand.gone.map((id) => html('li', {}, this.#goneCard(id)))),
      this.#detail('hand'),
      html('div', { class: 'stones-hand-buttons' },
        page.mayEdit ? button({ class: 'button', 'data-key': 'change-hand', onclick: () => this.#pickHand() }, t('Change my hand')) : null,
        hand.best ? button({
          class: 'button',
          id: 'best-turn',
          'data-key': 'best-turn',
          'aria-expanded': String(this.best),
          onclick: () => this.#toggleBest(),
        }, icon('light'), t('Best turn')) : null),
      this.best && hand.best ? this.#bestTurn(hand) : null,
      view.advice ? null : html('p', { class: 'hint' }, t('This table plays without advice: only what matches now is shown.')));
    return children;
  }

  #handNews(hand) {
    const { page } = this;
    if (!page.mayEdit) return null;
    if (hand.gone.length) {
      return this.#news(tn('A card of your hand was scored by somebody: take it out.', '%(n)s cards of your hand were scored by somebody: take them out.', hand.gone.length));
    }
    if (hand.excess) {
      return this.#news(tn('You paid with a card: tap the one you discarded.', 'You paid with %(n)s cards: tap those you discarded.', hand.excess));
    }
    if (hand.unknown && hand.cards.length && !(page.isMyTurn && this.view.turn.has_acted)) {
      return this.#news(tn('One card of your hand is missing here.', '%(n)s cards of your hand are missing here.', hand.unknown),
        button({ class: 'chip', 'data-key': 'drew', onclick: () => this.#pickHand() }, t('Choose')));
    }
    return null;
  }

  #news(text, button = null) {
    return html('div', { class: 'stones-news', role: 'status' }, html('span', {}, text), button);
  }

  #distance(id) {
    if (this.#places(id).length) return 0;
    return this.view.ways[id]?.distance ?? 99;
  }

  #card(id, pane) {
    const { page, view } = this;
    const card = page.byId.get(id);
    const times = this.#places(id).length;
    const way = view.ways[id];
    const isOpen = this.open?.id === id;
    const tag = times
      ? html('span', { class: 'stones-tag now' }, icon('check'), t('now'))
      : way ? html('span', { class: `stones-tag away-${Math.min(way.distance, FAR)}` }, t('%(n)s away', { n: way.distance })) : null;
    const isHeld = pane === 'cards' && view.hand?.cards.includes(id);
    const discarding = pane === 'hand' && view.hand.excess > 0 && page.mayEdit;
    return button({
      class: `card stones-card${times ? ' matches' : ''}${discarding ? ' discarding' : ''}`,
      'data-card': id,
      'data-key': `${pane}-${id}`,
      'aria-expanded': discarding ? null : String(isOpen),
      onclick: () => (discarding ? this.#discard(id) : this.#openCard(id)),
    },
    cardArt(card),
    isHeld ? html('span', { class: 'badge held', 'aria-hidden': 'true' }, icon('check')) : null,
    hidden([cardName(card), isHeld && t('in your hand'), discarding && t('discard it')].filter(Boolean).join(t(', '))),
    tag);
  }

  #goneCard(id) {
    const card = this.page.byId.get(id);
    return button({
      class: 'card stones-card gone',
      'data-key': `hand-${id}`,
      'aria-label': t('%(card)s, scored by %(name)s: take it out of my hand', {
        card: cardName(card),
        name: this.view.players[this.view.scored_by[id]].name,
      }),
      onclick: () => this.#discard(id),
    }, cardArt(card), html('span', { class: 'stones-tag' }, t('gone')));
  }

  #discard(id) {
    return this.page.act({
      type: 'hand',
      seat: this.page.seat,
      cards: this.view.hand.cards.filter((other) => other !== id),
    }, t('Taken out of your hand.'));
  }

  #openCard(id) {
    const places = this.#places(id);
    if (this.open?.id !== id) this.open = { id, at: 0 };
    else if (this.open.at + 1 < places.length) this.open.at += 1;
    else this.open = null;
    this.page.chosen = null;
    this.best = false;
    this.draw();
    this.page.light(this.open ? places[this.open.at] ?? [] : []);
    document.querySelector('.stones-detail')?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  }

  // One card

  #detail(pane) {
    if (!this.open || $(`pane-${pane}`).hidden) return null;
    const { page, view } = this;
    const { id, at } = this.open;
    const card = page.byId.get(id);
    const places = this.#places(id);
    const way = view.ways[id];
    const scoredBy = view.scored_by[id];
    const content = [];
    if (places.length) {
      const where = places[at].map(place).join(t('; '));
      content.push(html('div', { class: 'stones-detail-now' },
        smallBoard(view.board.rows, places[at]),
        html('p', {}, html('strong', {}, t('Matches now')), ' ', places.length > 1
          ? t('in place %(at)s of %(of)s (%(where)s). Tap the card for the next place.', { at: at + 1, of: places.length, where })
          : where, places.length > 1 ? ` ${view.once_says}` : null)));
    } else if (way) {
      content.push(html('p', {}, html('strong', {}, tn('One discard away', '%(n)s discards away', way.distance))),
        film({ rows: view.board.rows, steps: way.steps, lays: way.after, cards: page.byId, lit: way.cells }));
    } else if (view.board.missing === 0) {
      content.push(html('p', {}, html('strong', {}, t('Does not match now'))));
    }
    return html('section', { class: 'panel stones-detail', 'aria-label': cardName(card) },
      html('div', { class: 'stones-detail-head' }, html('h3', {}, points(card.points), hidden(`: ${spoken(card.pattern)}`)),
        button({ class: 'icon-button', 'aria-label': t('Close'), 'data-key': 'detail-close', onclick: () => this.#openNone(pane, id) }, icon('close'))),
      ...content,
      scoredBy === undefined ? this.#detailButtons(id, places)
        : html('p', { class: 'hint' }, t('Scored by %(name)s.', { name: view.players[scoredBy].name })));
  }

  #openNone(pane, id) {
    this.open = null;
    this.draw();
    this.page.light([]);
    document.querySelector(`[data-key="${pane}-${id}"]`)?.focus();
  }

  #detailButtons(id, places) {
    const { page, view } = this;
    if (!page.mayEdit) return null;
    const { hand } = view;
    const isHeld = hand?.cards.includes(id);
    const buttons = [];
    if (places.length && !view.end.over) {
      buttons.push(button({
        class: 'button primary',
        'data-key': 'score',
        onclick: () => this.#score(id),
      }, page.isMyTurn || view.solo ? t('Score it') : t('Score it for %(name)s', { name: page.player.name })));
    }
    if (hand && !isHeld && hand.cards.length < hand.most) {
      buttons.push(button({
        class: 'button',
        'data-key': 'hold',
        onclick: () => page.act({ type: 'hand', seat: page.seat, cards: [...hand.cards, id] }, t('In your hand.')),
      }, t('I hold it')));
    }
    if (isHeld) {
      buttons.push(button({ class: 'button', 'data-key': 'drop', onclick: () => this.#discard(id) }, t('Discard it')));
    }
    return buttons.length ? html('div', { class: 'stones-detail-buttons' }, ...buttons) : null;
  }

  async #score(id) {
    const card = this.page.byId.get(id);
    const { name } = this.page.player;
    this.open = null;
    this.page.lit = [];
    const action = { type: 'score', card: id, turn: this.view.turn.number };
    await this.page.act(action, t('%(points)s for %(name)s.', { points: points(card.points), name }));
  }

  // The best turn

  #toggleBest() {
    this.best = !this.best;
    this.open = null;
    this.draw();
    this.page.light([]);
    document.querySelector('.stones-best')?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  }

  #bestTurn(hand) {
    const { best } = hand;
    if (!best.points) {
      return html('section', { class: 'panel stones-best', 'aria-label': t('Best turn') },
        html('p', {}, best.says));
    }
    const cards = this.page.byId;
    return html('section', { class: 'panel stones-best', 'aria-label': t('Best turn') },
      html('p', {}, html('strong', {}, best.discards
        ? t('%(points)s with %(discards)s', { points: points(best.points), discards: discards(best.discards) })
        : t('%(points)s without a discard', { points: points(best.points) }))),
      film({ rows: this.view.board.rows, steps: best.steps, lays: best.after, cards }),
      best.discards ? html('div', { class: 'stones-pay' },
        html('p', {}, best.discards === best.to_pay.length ? t('Pay with:') : t('Pay with %(n)s of these:', { n: best.discards })),
        html('ul', { class: 'stones-scored' }, ...best.to_pay.map((id) => html('li', {},
          cardArt(cards.get(id)), hidden(cardName(cards.get(id))))))) : null,
      hand.unknown ? html('p', { class: 'hint' }, tn(
        'One card of your hand is not chosen here and was not weighed.',
        '%(n)s cards of your hand are not chosen here and were not weighed.', hand.unknown)) : null);
  }

  // The whole deck

  #deck() {
    const { view } = this;
    const free = view.cards.filter((card) => view.scored_by[card.id] === undefined);
    if (view.board.missing) return [html('p', { class: 'hint stones-empty' }, t('Once all stones are known, this shows what each card needs.'))];
    const now = free.filter((card) => this.#places(card.id).length);
    const groups = [this.#group(tn('%(n)s card matches now', '%(n)s cards match now', now.length), now)];
    if (view.advice) {
      for (let away = 1; away < FAR; away += 1) {
        groups.push(this.#group(tn('One discard away', '%(n)s discards away', away), free.filter((card) => this.#distance(card.id) === away)));
      }
      groups.push(this.#group(t('Further away'), free.filter((card) => this.#distance(card.id) >= FAR)));
    }
    return groups;
  }

  #group(title, cards) {
    if (!cards.length) return null;
    const sorted = [...cards].sort((a, b) => b.points - a.points || a.id - b.id);
    const children = [];
    for (const card of sorted) {
      children.push(html('li', {}, this.#card(card.id, 'cards')));
      if (this.open?.id === card.id && !$('pane-cards').hidden) {
        children.push(html('li', { class: 'stones-detail-row' }, this.#detail('cards')));
      }
    }
    return html('section', { class: 'group' }, html('h3', {}, title), html('ul', { class: 'deck' }, ...children));
  }

  // The picker, for the own hand and for cards that were scored unseen

  #pickHand() {
    this.award = null;
    this.picked = new Set(this.#usable());
    this.#openPicker();
  }

  /** Asks which cards a player scored without having told it. */
  pickAward(seat) {
    this.award = seat;
    this.picked = new Set();
    this.#openPicker();
  }

  #openPicker() {
    this.filter.clear();
    this.photo.forget();
    this.#drawPicker();
    $('hand-picker').showModal();
    $('hand-picker-deck').scrollTop = 0;
  }

  /** Shows the newer game in the open picker: cards that can no longer be taken are not picked any more. */
  #renewPicker() {
    if (!this.page.mayEdit || (this.award === null && !this.view.hand)) {
      $('hand-picker').close();
      return;
    }
    for (const id of this.picked) if (this.#hindrance(id)) this.picked.delete(id);
    this.#drawPicker();
  }

  #drawPicker() {
    const { page, view, award } = this;
    $('hand-picker-title').textContent = award === null
      ? t('Which cards do you hold?')
      : t('Which cards has %(name)s scored?', { name: view.players[award].name });
    $('hand-picker-hint').textContent = award === null
      ? t('Only you see them. Tap the stones of a card to find it.')
      : t('For cards that were not scored here. Tap the stones of a card to find it.');
    $('hand-picker-clear').hidden = !this.picked.size;
    for (const button of document.querySelectorAll('[data-filter]')) {
      button.setAttribute('aria-pressed', String(this.filter.has(button.dataset.filter)));
    }
    const done = $('hand-picker-done');
    done.textContent = this.picked.size ? tn('Take this card', 'Take these %(n)s cards', this.picked.size) : t('Done');
    const free = view.cards.filter((card) => view.scored_by[card.id] === undefined
      && [...this.filter].every((stone) => card.pattern.split(' ').includes(stone)));
    const toggle = (id) => {
      if (!this.picked.delete(id)) this.#pick(id);
      this.#drawPicker();
    };
    const values = [...new Set(view.cards.map((card) => card.points))].sort((a, b) => b - a);
    const groups = values.map((value) => free.filter((card) => card.points === value)).filter((cards) => cards.length);
    $('hand-picker-deck').replaceChildren(
      ...this.photo.draw({
        byId: page.byId,
        isPicked: (id) => this.picked.has(id),
        toggle,
        hindrance: (id) => this.#hindrance(id),
      }),
      ...(groups.length ? [] : [html('p', { class: 'hint' }, t('No card that is left has all of these stones.'))]),
      ...groups.map((cards) => html('section', { class: 'group' },
        html('h3', {}, points(cards[0].points)),
        html('ul', { class: 'deck' }, ...cards.map((card) => html('li', {}, button({
          class: 'card',
          'data-hand': card.id,
          'data-key': `pick-${card.id}`,
          'aria-pressed': String(this.picked.has(card.id)),
          'aria-label': cardName(card),
          disabled: Boolean(this.#hindrance(card.id)),
          onclick: () => toggle(card.id),
        }, cardArt(card), html('span', { class: 'badge held', 'aria-hidden': 'true' }, icon('check')))))))));
  }

  /** Why a card that was seen cannot be taken, in words. */
  #hindrance(id) {
    const seat = this.view.scored_by[id];
    if (seat !== undefined) return t('%(name)s has scored this card.', { name: this.view.players[seat].name });
    const isFull = this.award === null && this.picked.size >= this.view.hand.most && !this.picked.has(id);
    return isFull ? t('A hand has at most %(n)s cards.', { n: this.view.hand.most }) : null;
  }

  #pick(id) {
    if (!this.#hindrance(id)) this.picked.add(id);
  }

  async #takePicked() {
    const { page, award } = this;
    const cards = [...this.picked];
    const isNothing = !cards.length && (award !== null || !this.view.hand.cards.length);
    const done = $('hand-picker-done');
    done.disabled = true; // until it is answered
    try {
      const isTaken = isNothing || await (award === null
        ? page.act({ type: 'hand', seat: page.seat, cards }, tn('%(n)s card in your hand.', '%(n)s cards in your hand.', cards.length))
        : page.act({ type: 'award', seat: award, cards }));
      if (isTaken) $('hand-picker').close();
    } finally {
      done.disabled = false;
    }
  }

  #listen() {
    $('hand-photo').addEventListener('change', ({ target }) => {
      const [file] = target.files;
      target.value = ''; // the same photo may be chosen again
      if (!file) return;
      this.photo.read(file, (ids) => {
        this.picked.clear();
        for (const id of ids) this.#pick(id);
      });
    });
    $('hand-picker').addEventListener('close', () => this.photo.forget());
    $('hand-picker-clear').addEventListener('click', () => {
      this.picked.clear();
      this.#drawPicker();
    });
    $('hand-picker-done').addEventListener('click', () => this.#takePicked());
    document.querySelector('.stones-filter').addEventListener('click', (event) => {
      const { filter } = event.target.closest('[data-filter]')?.dataset ?? {};
      if (!filter) return;
      if (!this.filter.delete(filter)) this.filter.add(filter);
      this.#drawPicker();
    });
  }
}
