// One cell of a reading on its photo: an outline, and a tag with what was read.

import { onEnter, svg } from '../draw.js';
import { t } from '../i18n.js';
import { areaOf, centreOf } from './geometry.js';
import { isNamed, piece, placeOf, wordOf } from './pieces.js';

/** What a cell is called: its place, what lies there, and whether somebody should look. */
export const cellWords = (board, row, col, cell, ...more) =>
  [`${placeOf(row, col)}: ${wordOf(board, cell.label)}`, ...more].filter(Boolean).join(t(', '));

/**
 * Draws a cell.
 * @param cell its label, whether it is `checked`, and `read`: the cell of the reading, with its quad
 * @param says the cell in words
 * @param state further classes: lit or dim
 * @param onAsk called when somebody taps the cell; without it the cell is only drawn
 * @returns its outline and its tag, apart, so that all tags lie above all outlines
 */
export function cellShape(board, row, col, cell, { says = '', state = [], onAsk = null } = {}) {
  const { quad } = cell.read;
  const side = Math.sqrt(areaOf(quad));
  const [x, y] = centreOf(quad).map((value) => value + 0.5);
  const classes = [!cell.checked && 'doubtful', ...state].filter(Boolean);
  const points = quad.map((corner) => corner.map((value) => value + 0.5)).join(' ');
  const group = svg('g', {
    class: ['cell', ...classes].join(' '),
    'data-cell': `${row},${col}`,
    ...onAsk ? { role: 'button', 'aria-label': says, onclick: onAsk, onkeydown: onEnter(onAsk) } : {},
  },
  svg('polygon', { points, class: 'cell-glow' }),
  svg('polygon', { points, class: 'cell-line' }));
  const tag = svg('g', { class: ['cell-tag', ...classes].join(' '), 'aria-hidden': 'true' },
    ...(isNamed(board) ? named : pictured)(board, cell.label, { quad, side, x, y }),
    svg('g', { class: 'label-mark', transform: `translate(${x + side * 0.32} ${y - side * 0.32})` },
      svg('circle', { r: side * 0.15 }), svg('text', { y: side * 0.08, 'font-size': side * 0.22 }, '?')));
  return { group, tag };
}

/** The piece with its name, along the lower edge of the cell. */
function named(board, label, { quad, side, x, y }) {
  const word = wordOf(board, label);
  const height = side * 0.25;
  const width = height * (1.55 + 0.35 * word.length);
  const [left, top] = [x - width / 2, Math.min(Math.max(...quad.map((corner) => corner[1])) - height * 0.4, y + side * 0.4)];
  return [
    svg('rect', { x: left, y: top, width, height, rx: height / 2 }),
    placed(piece(board, label), { x: left + height * 0.14, y: top + height * 0.08, width: height * 0.84, height: height * 0.84 }),
    svg('text', { x: left + height * 1.14, y: top + height * 0.7, 'font-size': height * 0.62, class: 'label-word' }, word),
  ];
}

/** The piece alone, small, so that what lies there can still be seen; its name where there is no picture. */
function pictured(board, label, { side, x, y }) {
  if (label === '.') return [];
  const picture = piece(board, label);
  if (picture.tagName === 'svg') {
    const half = side * 0.21;
    const box = { x: x - half, y: y + side * 0.04, width: half * 2, height: half * 2 };
    return [svg('rect', { ...box, rx: half * 0.3, class: 'tag-back' }), placed(picture, box)];
  }
  const word = wordOf(board, label);
  const width = side * Math.min(0.9, 0.14 * word.length + 0.12);
  return [
    svg('rect', { x: x - width / 2, y: y + side * 0.14, width, height: side * 0.26, rx: side * 0.08 }),
    svg('text', { x, y: y + side * 0.32, class: 'label-word', 'text-anchor': 'middle', 'font-size': side * 0.17, textLength: width * 0.86, lengthAdjust: 'spacingAndGlyphs' }, word),
  ];
}

function placed(picture, box) {
  for (const [name, value] of Object.entries(box)) picture.setAttribute(name, value);
  return picture;
}
