// Small helpers that make elements. Nothing is ever built from strings of markup.

import { t, tn } from './i18n.js';

/** The element with that id. */
export const $ = (id) => document.getElementById(id);

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element with attributes (`onclick` and the like are listeners) and children. */
export const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** A button that sends no form. */
export const button = (attributes, ...children) => html('button', { type: 'button', ...attributes }, ...children);

/** An SVG element, likewise. */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** A picture of one stone: `empty` for a cell without one. */
export const stone = (label) =>
  svg('svg', { viewBox: '0 0 64 64', 'aria-hidden': 'true' }, stoneUse(label));

const stoneUse = (label, box = {}) => svg('use', { href: `#stone-${label === '.' ? 'empty' : label}`, ...box });

export const icon = (name) =>
  svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, svg('use', { href: `#icon-${name}` }));

/** Text that only a screen reader tells. */
export const hidden = (text) => html('span', { class: 'visually-hidden' }, text);

/** A sentence that warns. */
export const warning = (text, attributes = {}) => html('p', { class: 'problem', ...attributes }, icon('warn'), html('span', {}, text));

/** Rows of words of a pattern or grid in notation. */
export const rowsOf = (text) => text.split(' / ').map((row) => row.split(' '));

/** The notation of rows of words. */
export const textOf = (rows) => rows.map((words) => words.join(' ')).join(' / ');

const CELL = 29; // of the card's 100 x 132; three cells span most of the width, as on the printed cards

/** A pattern card, drawn: its value on top, the pattern centred below. */
export function cardArt(card) {
  const rows = rowsOf(card.pattern);
  const left = 50 - (CELL * rows[0].length) / 2;
  const top = 81 - (CELL * rows.length) / 2;
  const cells = rows.flatMap((row, r) =>
    row.map((word, c) => {
      const x = left + c * CELL;
      const y = top + r * CELL;
      return word === '.'
        ? svg('rect', { class: 'card-any', x: x + 1.5, y: y + 1.5, width: CELL - 3, height: CELL - 3, rx: 4 })
        : stoneUse(word, { x, y, width: CELL, height: CELL });
    }));
  return svg('svg', { viewBox: '0 0 100 132', class: 'card-art', 'aria-hidden': 'true' },
    svg('rect', { class: 'card-back', x: 0.75, y: 0.75, width: 98.5, height: 130.5, rx: 10 }),
    svg('rect', { class: 'card-frame', x: 4.5, y: 4.5, width: 91, height: 123, rx: 7 }),
    svg('text', { class: 'card-value', x: 50, y: 27.5 }, String(card.points)),
    ...cells);
}

/** A pattern in words for those who cannot see the drawing. */
export const spoken = (pattern) =>
  rowsOf(pattern).map((row) => row.map((word) => (word === '.' ? t('any') : t(word))).join(t(', '))).join(t('; below: '));

/** A probability in percent: what somebody is asked to check is never said to be certain. */
export const percent = (share) => `${Math.min(99, Math.round(share * 100))} %`;

export const points = (n) => tn('%(n)s point', '%(n)s points', n);

/** Does *act* on the keys that press a button. */
export const onEnter = (act) => (event) => {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  act();
};

/** Does *travel* on the keys of undo (false) and redo (true), except while somebody types. */
export const onTravel = (travel) => (event) => {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y') || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  event.stopPropagation();
  travel(key === 'y' || event.shiftKey);
};

/** Closes the sheets of the page by their buttons and by a tap beside them. */
export function closable(dialogs) {
  for (const dialog of dialogs) {
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog || event.target.closest('[data-close]')) dialog.close();
    });
  }
}
