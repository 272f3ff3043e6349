// The pieces of a board in words and pictures.

import { $, html, svg } from '../draw.js';
import { t, tn } from '../i18n.js';

/** Whether a board's pieces are shown with their names: there is room, and not everybody calls a picture the same. */
export const isNamed = (board) => board === 'stones';

export function wordOf(board, label) {
  if (label === '.') return t('empty');
  if (board === 'custom') return label; // somebody's own word
  if (label.endsWith('*')) return t('%(what)s, precious', { what: t(label.slice(0, -1)) });
  if (label.endsWith('!')) return t('%(what)s, framed', { what: label.slice(0, -1) });
  return t(label);
}

export const placeOf = (row, col) => t('Row %(row)s, column %(col)s', { row: row + 1, col: col + 1 });

/** A picture of a piece: the game's own drawing, a stone, or its name. */
export function piece(board, label) {
  const symbol = [`piece-${board}-${label}`, label === '.' && isNamed(board) ? 'stone-empty' : `stone-${label}`]
    .find($);
  if (!symbol) return html('span', { class: 'piece-word' }, wordOf(board, label));
  return svg('svg', { viewBox: $(symbol).getAttribute('viewBox') ?? '0 0 64 64', 'aria-hidden': 'true', class: 'piece' },
    svg('use', { href: `#${symbol}` }));
}

/** Shows pieces of a game of one's own as its lessons do: addresses of pictures by label. */
export function taughtAs(pictures) {
  $('own-pieces').replaceChildren(...Object.entries(pictures).map(([label, href]) =>
    svg('symbol', { id: `piece-custom-${label}`, viewBox: '0 0 64 64' }, svg('image', { href, width: 64, height: 64 }))));
}

/** What is left to check of a grid: its cells, or else its questions. */
export function leftWords(board, { doubtful: { length: left }, questions }) {
  if (!left && questions.length) return tn('%(n)s question left', '%(n)s questions left', questions.length);
  if (board !== 'stones') return left ? tn('%(n)s to check', '%(n)s to check', left) : t('All clear');
  return left ? tn('One stone to check', '%(n)s stones to check', left) : t('All nine stones are clear');
}

/** The same, told when a photo has been read. */
export function readWords(board, { doubtful: { length: left }, questions }) {
  if (!left && questions.length) return tn('Read. %(n)s question left.', 'Read. %(n)s questions left.', questions.length);
  if (board !== 'stones') return left ? tn('Read. %(n)s cell to check.', 'Read. %(n)s cells to check.', left) : t('Read. All cells are clear.');
  return left ? tn('Read. %(n)s stone to check.', 'Read. %(n)s stones to check.', left) : t('Read. All stones are clear.');
}
