// The card that is played next: which one, which side up, where, and what the order of meetings leads to.

import { $, button, hidden, html, icon, warning } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { cardFace, cardWords, face, splitCard } from './words.js';
import { place, sameCell, SEASON, SEASONS } from '../words.js';

export class NextCard {
  constructor(page) {
    this.page = page;
    this.reset();
    $('place').addEventListener('click', () => this.#place());
  }

  get view() { return this.page.view; }

  /** Something is chosen already. */
  get isBusy() { return this.card !== null || this.cell !== null; }

  reset() {
    this.card = null; // 'autumn/spring': the side that is up first
    this.cell = null;
    this.end = 0; // which of the ends
  }

  /** The chosen card as it will lie there at last. */
  ghost() {
    if (!this.card) return null;
    const sides = splitCard(this.card);
    const end = this.#ends()[this.end];
    return end && end.up !== sides.up ? { up: sides.back, back: sides.up } : sides;
  }

  chooseCell(cell) {
    this.cell = cell;
    this.end = 0;
    this.page.lit = null;
    if ($('pane-card').hidden) this.page.choosePane('card');
    else this.page.draw();
    if (cell && !this.card) $('pane-card').scrollIntoView({ block: 'nearest', behavior: 'instant' });
  }

  #chooseCard(card) {
    this.card = card;
    this.end = 0;
    this.page.draw();
    if (!card) $('pane-card').querySelector('[data-card]')?.focus();
    else if (this.cell) $('place').focus({ preventScroll: true });
    else {
      $('grid').querySelector('[data-free]')?.focus({ preventScroll: true });
      this.page.showGrid();
    }
  }

  #legal() { return this.cell && this.view.legal.find(({ cell }) => sameCell(cell, this.cell)); }

  #ends() {
    const legal = this.#legal();
    return (legal && this.card && legal.ends[this.card]) || [];
  }

  /** How many ways the chosen placement can end. */
  get ways() { return this.#ends().length; }

  /** When the card on a cell is met in the chosen end, and whether it flips. */
  stepAt(cell) {
    const legal = this.#legal();
    const end = this.#ends()[this.end];
    if (!end) return null;
    const near = legal.near.findIndex((one) => sameCell(one, cell));
    const at = end.order.indexOf(near);
    if (near < 0 || at < 0) return null;
    const { flips } = this.#steps(end)[at];
    return { number: at + 1, flips, words: flips ? t('met %(n)s., flips', { n: at + 1 }) : t('met %(n)s.', { n: at + 1 }) };
  }

  draw() {
    const { view, page } = this;
    const end = this.#ends()[this.end];
    $('place').hidden = !end;
    if (end) {
      const flipped = this.#steps(end).filter(({ flips }) => flips).length;
      $('place').textContent = flipped ? tn('Place it, flip %(n)s', 'Place it, flip %(n)s', flipped) : t('Place it');
    }
    $('pane-card').replaceChildren(...this.#content(view, page).filter(Boolean));
  }

  #content(view, page) {
    if (view.full) return [this.#happened(), html('p', { class: 'hint time-empty' },
      view.unfinished || t('All cards are played. The ranking says who has won.'))];
    if (!page.mayEdit) return [this.#happened() ?? html('p', { class: 'hint time-empty' }, t('Nothing was placed here yet.'))];
    return this.card ? [this.#chosen(), this.#outcome()] : [this.#happened(), this.#chooser()];
  }

  /** What the last placed card did. */
  #happened() {
    const { last, players } = this.view;
    if (!last) return null;
    const card = splitCard(last.card);
    return html('section', { class: 'panel time-happened', 'aria-labelledby': 'happened-title' },
      html('h3', { id: 'happened-title' }, players[last.seat]
        ? t('%(name)s placed %(card)s', { name: players[last.seat].name, card: cardWords(card) }) : t('Placed: %(card)s', { card: cardWords(card) })),
      this.#stepList(last.steps) ?? html('p', { class: 'hint' }, t('The first card meets nobody.')));
  }

  #chooser() {
    const { kinds, players, turn } = this.view;
    const own = players[turn.seat]?.seasons ?? [];
    const isOwn = ({ card }) => card.split('/').some((season) => own.includes(season));
    const sorted = own.length && own.length < SEASONS.length ? [...kinds.filter(isOwn), ...kinds.filter((kind) => !isOwn(kind))] : kinds;
    return html('section', { class: 'time-chooser', 'aria-labelledby': 'chooser-title' },
      html('h3', { id: 'chooser-title' }, t('Which card is played?')),
      html('ul', { class: 'time-kinds' }, ...sorted.map(({ card, left }) => html('li', {}, button({
        class: `time-kind${left ? '' : ' none-left'}`,
        'data-key': `kind-${card}`,
        'data-card': card,
        onclick: () => this.#chooseCard(card),
      },
      cardFace(splitCard(card)),
      hidden(`${cardWords(splitCard(card))}: `),
      html('span', { class: 'time-left' }, tn('%(n)s left', '%(n)s left', left)))))));
  }

  #chosen() {
    const sides = splitCard(this.card);
    return html('section', { class: 'panel time-chosen', 'aria-label': t('The chosen card') },
      cardFace(sides),
      html('p', {}, html('strong', {}, t('%(season)s up', { season: SEASON[sides.up] })),
        html('span', { class: 'hint' }, sides.up === sides.back ? t('a single card: the same on both sides') : t('other side: %(season)s', { season: SEASON[sides.back] }))),
      html('div', { class: 'time-chosen-buttons' },
        sides.up === sides.back ? null : button({
          class: 'chip', 'data-key': 'turn-over', onclick: () => this.#chooseCard(`${sides.back}/${sides.up}`),
        }, icon('turn'), t('Turn over')),
        button({ class: 'chip', 'data-key': 'other-card', onclick: () => this.#chooseCard(null) }, t('Another card'))));
  }

  #outcome() {
    const legal = this.#legal();
    if (!legal) return html('p', { class: 'hint time-empty' }, tn('It may go on the one marked cell.', 'It may go on any of the %(n)s marked cells: tap one.', this.view.legal.length));
    if (legal.unknown.length) return warning(t('Say first which season shows in %(place)s.', { place: place(legal.unknown[0]) }));
    const ends = this.#ends();
    return html('section', { class: 'time-ends', 'aria-labelledby': 'ends-title' },
      html('h3', { id: 'ends-title' }, ends.length === 1 ? t('What happens')
        : t('%(n)s ways it can end: choose the order', { n: ends.length })),
      ...ends.map((end, at) => this.#end(end, at, ends.length)));
  }

  #end(end, at, count) {
    const steps = this.#steps(end);
    const isChosen = at === this.end;
    const flipped = steps.filter(({ flips }) => flips).length;
    const sides = splitCard(this.card);
    const head = [
      flipped ? tn('Flips %(n)s card', 'Flips %(n)s cards', flipped) : t('Flips no card'),
      end.up === sides.up ? t('ends as %(season)s', { season: SEASON[end.up] }) : t('turns into %(season)s', { season: SEASON[end.up] }),
    ].join(t(', '));
    const body = [
      this.#stepList(steps) ?? html('p', { class: 'hint' }, t('It meets nobody.')),
      countsLine(end),
    ];
    if (count === 1) return html('div', { class: 'panel time-end' }, html('p', {}, html('strong', {}, head)), ...body);
    return html('div', { class: `panel time-end${isChosen ? ' chosen' : ''}` },
      button({
        class: 'time-end-head',
        'data-key': `end-${at}`,
        'aria-pressed': String(isChosen),
        onclick: () => {
          this.end = at;
          this.page.draw();
        },
      }, html('span', { class: 'time-radio', 'aria-hidden': 'true' }), head),
      ...body);
  }

  /** The meetings of an end, with the sides before each, and whether the card that lay there flips. */
  #steps(end) {
    return end.meets.map((key) => {
      const [placed, lying] = key.split('/');
      return { placed, lying, flips: this.view.meetings[key].flips[1] };
    });
  }

  #stepList(steps) {
    if (!steps.length) return null;
    return html('ol', { class: 'time-steps' }, ...steps.map((step) => html('li', {},
      html('span', { class: 'time-step-faces', 'aria-hidden': 'true' }, face(step.placed, 'time-mini'), '→', face(step.lying, 'time-mini')),
      html('span', {}, this.view.meetings[`${step.placed}/${step.lying}`].says))));
  }

  async #place() {
    const legal = this.#legal();
    const end = this.#ends()[this.end];
    if (!end) return;
    const { card } = this;
    const [row, col] = this.cell;
    const done = await this.page.act({
      type: 'place', card, row, col, order: end.order.map((near) => legal.near[near]),
    }, t('Placed: %(card)s', { card: cardWords(splitCard(card)) }));
    if (done) {
      this.reset();
      this.page.draw();
      $('pane-card').querySelector('[data-card]')?.focus({ preventScroll: true });
      this.page.showGrid();
    }
  }
}

const countsLine = ({ counts, unknown }) => html('p', { class: 'time-counts' },
  hidden(t('Visible cards after it: ')),
  ...counts.map((n, at) => count(SEASONS[at], SEASON[SEASONS[at]], n)),
  unknown ? count(null, t('unknown'), unknown) : null);

const count = (season, word, n) => html('span', { class: 'time-count' }, face(season, 'time-mini'), hidden(`${word} `), String(n));
