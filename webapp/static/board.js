// The photo with what was read on it, the board redrawn, the cells to check, and the sheet that changes a cell.

import { cropOf, html, icon, onEnter, percent, stone, stoneUse, svg } from './draw.js';
import { areaOf, boxAround, centreOf, within } from './geometry.js';
import { t, tn } from './i18n.js';

const $ = (id) => document.getElementById(id);
const idOf = (label) => (label === '.' ? 'empty' : label);
const name = (label) => t(idOf(label));
const place = (at) => t('Row %(row)s, column %(col)s', { row: Math.floor(at / 3) + 1, col: (at % 3) + 1 });
const FEW = 3; // doubtful cells listed before one asks for more
const LOOK_AROUND = 0.1; // share of the board's size that is shown around it

export class Board {
  /**
   * @param onCorrect called with (place, label)
   * @param onConfirm called when all labels are right
   */
  constructor(onCorrect, onConfirm) {
    this.onCorrect = onCorrect;
    $('check-all').addEventListener('click', onConfirm);
    $('check-more').addEventListener('click', () => {
      this.showAll = true;
      this.#listDoubtful();
    });
    this.lit = new Set();
    this.whole = false;
    this.asked = null;
    $('zoom').addEventListener('click', () => this.#zoom(!this.whole));
    $('picker').addEventListener('click', (event) => {
      const button = event.target.closest('[data-symbol]');
      if (!button) return;
      $('picker').close();
      this.onCorrect(this.asked, button.dataset.symbol);
    });
  }

  /** Shows a new photo. */
  open(photo, table) {
    this.photo = photo;
    this.table = table;
    this.showAll = false;
    this.#build();
    this.#zoom(false);
    this.refresh([]);
  }

  #build() {
    const { photo, table } = this;
    this.lit = new Set();
    this.order = table.now.order;
    this.quads = this.order.map((_, at) => table.cell(at).quad);
    const overlay = $('overlay');
    this.shapes = this.quads.map((quad, at) => this.#shape(quad, at));
    overlay.replaceChildren(
      svg('image', { href: photo.url, width: photo.width, height: photo.height }),
      ...this.shapes.map((shape) => shape.group),
      ...this.shapes.map((shape) => shape.tag)); // above all outlines, so that no neighbour hides a word
    this.tiles = this.quads.map((_, at) => this.#tile(at));
    $('board').replaceChildren(...this.tiles.map((tile) => tile.button));
  }

  /** Draws the labels anew; *problems* say which cells cannot all be right. */
  refresh(problems) {
    const { table } = this;
    if (this.order.some((cell, at) => cell !== table.now.order[at])) this.#build(); // the board was turned
    const impossible = new Set(problems.flatMap((problem) => problem.cells.map(([row, col]) => row * 3 + col)));
    table.now.labels.forEach((label, at) => {
      const doubtful = table.isDoubtful(at);
      const says = `${place(at)}: ${name(label)}${doubtful ? `, ${t('please check')}` : ''}`;
      this.shapes[at].show(label, doubtful, says);
      this.tiles[at].show(label, doubtful, impossible.has(at), says);
    });
    this.#listDoubtful();
    const left = table.doubtful.length;
    const verdict = $('verdict');
    verdict.className = left ? 'verdict doubtful' : 'verdict sure';
    verdict.replaceChildren(
      icon(left ? 'warn' : 'check'),
      left ? tn('One stone to check', '%(n)s stones to check', left) : t('All nine stones are clear'));
  }

  /** Lights up cells ([row, col] each) on the photo and on the board. */
  light(cells) {
    this.lit = new Set(cells.map(([row, col]) => row * 3 + col));
    for (let at = 0; at < this.quads.length; at += 1) {
      const dim = this.lit.size > 0 && !this.lit.has(at);
      for (const element of [this.shapes[at].group, this.shapes[at].tag, this.tiles[at].button]) {
        element.classList.toggle('lit', this.lit.has(at));
        element.classList.toggle('dim', dim);
      }
    }
  }

  /** Asks what lies on a cell. */
  ask(at) {
    this.asked = at;
    const now = this.table.now.labels[at];
    const guesses = new Map(this.table.guesses(at, 8));
    $('picker-title').textContent = place(at);
    $('picker-hint').textContent = this.table.isDoubtful(at)
      ? t('Perhaps %(what)s. What lies there?', { what: name(now) })
      : t('Now %(what)s. What lies there?', { what: name(now) });
    cropOf($('picker-crop'), this.photo, this.quads[at]);
    for (const button of $('picker-symbols').children) {
      const { symbol } = button.dataset;
      const share = guesses.get(symbol) ?? 0;
      button.setAttribute('aria-pressed', String(symbol === now));
      button.querySelector('.share')?.remove();
      if (this.table.isDoubtful(at) && share >= 0.005) button.append(html('span', { class: 'share' }, percent(share)));
    }
    $('picker').showModal();
    $('picker-symbols').querySelector('[aria-pressed=true]')?.focus();
  }

  #zoom(whole) {
    this.whole = whole;
    const { width, height } = this.photo;
    let box = { x: 0, y: 0, width, height };
    if (!whole) {
      box = within(boxAround(this.quads, LOOK_AROUND), this.photo);
    }
    const overlay = $('overlay');
    overlay.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
    overlay.style.aspectRatio = `${box.width} / ${box.height}`;
    $('zoom').setAttribute('aria-pressed', String(whole));
  }

  // One cell on the photo: its outline, and a label that stays readable on any picture.
  #shape(quad, at) {
    const side = Math.sqrt(areaOf(quad));
    const [cx, cy] = centreOf(quad).map((value) => value + 0.5);
    const lines = quad.map(([x, y]) => `${x + 0.5},${y + 0.5}`).join(' ');
    const h = side * 0.25;
    const low = Math.max(...quad.map(([, y]) => y));
    const y = Math.min(low - h * 0.75, cy + side * 0.3);
    const pill = svg('rect', { y, height: h, rx: h / 2 });
    const word = svg('text', { y: y + h * 0.7, 'font-size': h * 0.62, class: 'label-word' });
    const picture = stoneUse('.', { y: y + h * 0.08, width: h * 0.84, height: h * 0.84 });
    const mark = svg('g', { class: 'label-mark', transform: `translate(${cx + side * 0.3} ${cy - side * 0.3})` },
      svg('circle', { r: side * 0.14 }),
      svg('text', { y: side * 0.075, 'font-size': side * 0.21 }, '?'));
    const group = svg('g',
      { class: 'cell', role: 'button', tabindex: '0', onclick: () => this.ask(at), onkeydown: onEnter(() => this.ask(at)) },
      svg('polygon', { points: lines, class: 'cell-glow' }),
      svg('polygon', { points: lines, class: 'cell-line' }));
    const tag = svg('g', { class: 'cell-tag', 'aria-hidden': 'true' },
      pill, picture, word, mark);
    return {
      group,
      tag,
      show: (label, doubtful, says) => {
        group.classList.toggle('doubtful', doubtful);
        tag.classList.toggle('doubtful', doubtful);
        group.setAttribute('aria-label', says);
        picture.setAttribute('href', `#stone-${idOf(label)}`);
        word.textContent = name(label);
        const width = h * (1.55 + 0.35 * name(label).length);
        pill.setAttribute('x', cx - width / 2);
        pill.setAttribute('width', width);
        picture.setAttribute('x', cx - width / 2 + h * 0.14);
        word.setAttribute('x', cx - width / 2 + h * 1.14);
      },
    };
  }

  #tile(at) {
    const button = html('button', { type: 'button', class: 'tile', 'data-at': at, onclick: () => this.ask(at) });
    return {
      button,
      show: (label, doubtful, impossible, says) => {
        button.replaceChildren(stone(label), html('span', { class: 'tile-word' }, name(label)));
        if (doubtful) button.append(html('span', { class: 'tile-mark', 'aria-hidden': 'true' }, '?'));
        button.classList.toggle('doubtful', doubtful);
        button.classList.toggle('impossible', impossible);
        button.setAttribute('aria-label', says + (impossible ? `, ${t('part of an impossible count')}` : ''));
      },
    };
  }

  #listDoubtful() {
    const { table } = this;
    const cells = table.doubtful;
    const shown = this.showAll ? cells : cells.slice(0, FEW);
    $('check').hidden = cells.length === 0;
    $('check-all').hidden = cells.length < 2;
    $('check-more').hidden = shown.length === cells.length;
    $('check-more').textContent = t('Show %(n)s more', { n: cells.length - shown.length });
    $('check-list').replaceChildren(...shown.map((at) => html('li', {},
      cropOf(svg('svg', { class: 'crop', role: 'img', 'aria-label': t('%(place)s on the photo', { place: place(at) }) }), this.photo, this.quads[at]),
      html('div', { class: 'check-text' },
        html('strong', {}, place(at)),
        html('button', { type: 'button', class: 'guess other', onclick: () => this.ask(at) }, t('Other…')),
        html('div', { class: 'guesses' },
          ...table.guesses(at, 2).map(([label]) => html('button',
            { type: 'button', class: 'guess', 'data-guess': label, onclick: () => this.onCorrect(at, label) },
            stone(label), html('span', {}, name(label)))))))));
  }
}
