// A season board: its cells, the sheet that changes one, tiles that move, and the brush that lays many.

import { drawCells } from '../../cells.js';
import { $, button, html, points, svg } from '../../draw.js';
import { t } from '../../i18n.js';
import { place, sameCell, SEASONS } from '../words.js';
import { isNumber, SEASON_TITLE, spoken, tile } from './words.js';

export class Board {
  constructor(page) {
    this.page = page;
    this.moving = null; // the tile that a bonus token moves
    this.painting = false;
    this.brush = SEASONS[0]; // what a tap lays while painting
    $('sea-paint').addEventListener('click', () => {
      this.painting = !this.painting;
      page.chosen = null;
      page.show();
    });
  }

  say(text) { $('sea-where-text').textContent = text; }

  draw() {
    const { chosen, game, number, player, seat, copy } = this.page;
    const lit = new Map(this.#lit().map(([row, col, value]) => [`${row},${col}`, value]));
    const missing = new Set(this.#missing().map(String));
    const legal = new Set(number ? player.legal[number].map(String) : []);
    const holder = $('sea-board');
    holder.setAttribute('aria-label', t('Board of %(name)s', { name: player.name }));
    drawCells(holder, player.cells.flatMap((line, row) => line.map((word, col) => {
      const key = `${row},${col}`;
      return this.#cell([row, col], word, {
        value: lit.get(key),
        isDim: chosen !== null && !lit.has(key) && word !== '.' && !isNumber(word),
        isMissing: missing.has(key),
        isLegal: legal.has(key),
        isChanged: copy && game.view.players[seat].cells[row][col] !== word,
      });
    })));
  }

  #cell(cell, word, { value, isDim, isMissing, isLegal, isChanged }) {
    const isLit = value !== undefined;
    const marks = [isLit && points(value), isMissing && t('still empty'), isLegal && t('a tile may go here')].filter(Boolean);
    return button({
      class: ['sea-cell', isNumber(word) ? 'number' : word === '.' ? 'empty' : 'filled', isLit && 'lit', isDim && 'dim',
        isMissing && 'missing', isLegal && 'legal', isChanged && 'changed'].filter(Boolean).join(' '),
      'data-cell': String(cell),
      'data-word': word,
      'aria-label': [place(cell), spoken(word), ...marks].join(': '),
      onclick: () => this.#tapped(cell, word),
    },
    isNumber(word) ? html('span', { class: 'sea-number', 'aria-hidden': 'true' }, word[0]) : null,
    isNumber(word) && word.endsWith('!') ? svg('svg', { viewBox: '0 0 64 64', 'aria-hidden': 'true', class: 'sea-frame' }, svg('use', { href: '#season-frame' })) : null,
    !isNumber(word) && word !== '.' ? tile(word) : null,
    isLit ? html('span', { class: 'sea-value', 'aria-hidden': 'true' }, `+${value}`) : null,
    isLegal ? html('span', { class: 'sea-dot', 'aria-hidden': 'true' }) : null);
  }

  /** The cells that earn the explained points: [row, col, value]. */
  #lit() {
    const { chosen, explained } = this.page;
    if (!explained) return [];
    if (chosen.group === null) return explained.cells;
    const group = explained.groups[chosen.group];
    return group ? explained.cells.filter((cell) => group.cells.some((other) => sameCell(cell, other))) : [];
  }

  /** The cells that would have to be filled for the points that are asked for. */
  #missing() {
    const { chosen, explained } = this.page;
    return explained && chosen.open !== undefined ? explained.open[chosen.open]?.missing ?? [] : [];
  }

  #tapped(cell, word) {
    const { page, moving } = this;
    if (moving) {
      this.moving = null;
      this.say('');
      if (word === '.') page.move(moving, cell);
      else if (!sameCell(moving, cell)) this.say(t('A tile can only move to a free space.'));
    } else if (page.mayTry) {
      if (this.painting && !isNumber(word)) page.lay(cell, word === this.brush ? '.' : this.brush);
      else this.#pick(cell, word);
    }
  }

  /** Opens the sheet that asks what lies on a cell. */
  #pick(cell, word) {
    const { version } = this.page.game;
    const pick = (label) => {
      $('sea-picker').close();
      if (label !== word) this.page.lay(cell, label, version);
    };
    const choice = (attributes, label, ...children) => button({
      'data-label': label, 'aria-pressed': String(label === word), onclick: () => pick(label), ...attributes,
    }, ...children);
    $('sea-picker-title').textContent = isNumber(word) ? t('Number %(n)s', { n: word[0] }) : t('What lies here?');
    $('sea-picker-hint').textContent = `${place(cell)}: ${spoken(word)}`;
    $('sea-picker-tiles').classList.toggle('numbers', isNumber(word));
    $('sea-picker-tiles').replaceChildren(...isNumber(word)
      ? [word[0], `${word[0]}!`].map((label) => choice({ class: 'symbol' }, label, framePicture(label),
        html('span', {}, label.endsWith('!') ? t('with a frame') : t('without a frame'))))
      : [
        ...[...SEASONS, ...SEASONS.map((season) => `${season}*`)].map((label) => choice({ class: 'symbol' }, label, tile(label),
          html('span', {}, label.endsWith('*') ? t('%(season)s, precious', { season: SEASON_TITLE[label.slice(0, -1)] }) : SEASON_TITLE[label]))),
        choice({ class: 'button' }, '.', t('Nothing')),
        ...word === '.' ? [] : [button({ class: 'button', 'data-move': '', onclick: () => this.#startMove(cell) }, t('Move this tile'))],
      ]);
    $('sea-picker').showModal();
  }

  #startMove(cell) {
    $('sea-picker').close();
    this.moving = cell;
    this.say(t('Tap the free space where this tile goes.'));
    $('sea-where-text').scrollIntoView({ block: 'nearest' });
  }

  drawPalette() {
    const { brush, painting } = this;
    $('sea-palette').hidden = !painting;
    $('sea').classList.toggle('painting', painting);
    $('sea-paint').setAttribute('aria-pressed', String(painting));
    if (!painting) return;
    const labels = [...SEASONS, '.', ...SEASONS.map((season) => `${season}*`)];
    $('sea-palette').replaceChildren(...labels.map((label) => button({
      class: 'sea-brush',
      'data-brush': label,
      'aria-pressed': String(brush === label),
      'aria-label': label === '.' ? t('Take away') : spoken(label),
      onclick: () => {
        this.brush = label;
        this.drawPalette();
      },
    }, label === '.' ? svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('use', { href: '#icon-close' })) : tile(label))));
  }
}

const framePicture = (label) => svg('svg', { viewBox: '0 0 64 64', 'aria-hidden': 'true', class: 'sea-number-art' },
  svg('rect', { x: 3, y: 3, width: 58, height: 58, rx: 10 }),
  svg('text', { x: 32, y: 44 }, label[0]),
  label.endsWith('!') ? svg('use', { href: '#season-frame' }) : null);
