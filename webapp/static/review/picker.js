// The sheet that asks which piece lies on a cell.

import { button, html, icon } from '../draw.js';
import { t } from '../i18n.js';

/** Makes the sheet: *now* is the label that lies there, *drawn* gives what stands on the button of one, *done* gets the chosen one. */
export function pieceSheet({ title, hint, picture = null, labels, now, drawn, isMany, mayType, done }) {
  const pick = (label) => { sheet.close(); done(label); };
  const sheet = html('dialog', { class: 'sheet', 'data-picker': true, 'aria-labelledby': 'pick-title' },
    html('div', { class: 'sheet-head' }, picture,
      html('div', {}, html('h2', { id: 'pick-title' }, title), html('p', { class: 'hint' }, hint)),
      button({ class: 'icon-button', 'aria-label': t('Close'), onclick: () => sheet.close() }, icon('close'))),
    html('div', { class: isMany ? 'picker-symbols many' : 'picker-symbols' }, ...labels.map((label) => button({
      class: 'symbol', 'data-label': label, 'aria-pressed': String(label === now), onclick: () => pick(label),
    }, ...drawn(label)))),
    mayType ? typedPiece(pick) : null);
  sheet.addEventListener('close', () => sheet.remove());
  return sheet;
}

/** A field for the name of a piece that nobody has mentioned yet. */
function typedPiece(choose) {
  return html('form', {
    class: 'join-row',
    onsubmit: (event) => { event.preventDefault(); choose(event.target.elements.label.value.trim()); },
  }, html('input', { name: 'label', required: true, maxlength: '40', pattern: '[^\\s\\/]+', autocomplete: 'off', 'aria-label': t('Another piece, in one word'), placeholder: t('another piece') }),
  html('button', { class: 'button' }, t('Set')));
}
