// Why a field of the pad has its points: the groups of tiles that earn them, and those that are not yet filled.

import { $, button, html } from '../../draw.js';
import { t } from '../../i18n.js';
import { capitalised } from './words.js';

export class Why {
  constructor(page) {
    this.page = page;
    $('sea-why-close').addEventListener('click', () => this.#close());
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && page.chosen && !document.querySelector('dialog[open]')) this.#close();
    });
  }

  /** Explains a field; asked again it ends. */
  explain(seat, card) {
    const { page } = this;
    const isAgain = page.chosen?.card === card && seat === page.seat;
    page.choose(seat);
    page.number = null;
    page.chosen = isAgain ? null : { card, group: null };
    page.show();
    if (!page.chosen) return;
    const board = $('sea-board').getBoundingClientRect();
    if (board.top < 0 || board.top > window.innerHeight / 3) $('sea').scrollIntoView({ block: 'start' });
    page.table.say(`${$('sea-why-title').textContent}. ${$('sea-why-sum').textContent}`);
  }

  draw() {
    const { page } = this;
    const { explained: row, player } = page;
    const card = page.view.cards.find((one) => one.card === row?.card);
    $('sea-why').hidden = !row;
    document.body.classList.toggle('why-open', Boolean(row));
    if (!row) { page.chosen = null; return; }
    $('sea-why-use').setAttribute('href', `#scorecard-${row.card}`);
    $('sea-why-title').textContent = t('%(name)s, %(card)s: %(points)s',
      { name: player.name, card: card.title, points: row.points });
    $('sea-why-rule').textContent = capitalised(card.says);
    $('sea-why-lines').replaceChildren(
      ...row.groups.map((group, at) => this.#line({ group: at }, group.says, html('b', {}, String(group.points)))),
      row.twice ? html('li', { class: 'sea-shared' }, html('span', {}, row.shared_says), html('b', {}, `−${row.twice}`)) : '',
      ...row.open.map((gap, at) => this.#line({ open: at, group: -1 }, gap.says, html('b', { class: 'none' }, '0'))),
    );
    $('sea-why-sum').textContent = row.says;
  }

  /** A line that lights its cells; *part* says which ones, as in the page's `chosen`. */
  #line(part, text, result) {
    const { page } = this;
    const isPressed = Object.entries(part).every(([key, value]) => page.chosen[key] === value);
    return html('li', {}, button({
      'aria-pressed': String(isPressed),
      onclick: () => {
        page.chosen = { card: page.chosen.card, group: null, ...(isPressed ? {} : part) };
        page.board.draw();
        this.draw();
      },
    }, html('span', {}, text), result));
  }

  #close() {
    const { chosen, seat } = this.page;
    this.page.chosen = null;
    this.page.show();
    document.querySelector(`.sea-field[data-card="${chosen.card}"][data-seat="${seat}"]`)?.focus({ preventScroll: true });
  }
}
