// A field for a whole number, which others may change while somebody types.

import { html } from '../draw.js';
import { version } from '../live.js';

let drawing = false; // whether fields are drawn anew: then a field that goes tells of no change

/**
 * The field; what cannot be a number is not kept.
 * @param key a name that it has again when it is drawn anew
 * @param known gives the number that counts now
 * @param send sets another one, with the version of the game at which one began to type
 * @param attributes more of the field, such as the `value` to begin with
 */
export function numberField(key, known, send, attributes = {}) {
  // Somebody else's change draws the field anew while one types: then the browser tells of no change at the end.
  const settle = ({ target }) => {
    const typed = Number(target.value);
    if (drawing || !target.dataset.typed) return;
    const seen = Number(target.dataset.typed);
    delete target.dataset.typed;
    if (target.value === '' || !Number.isInteger(typed)) target.value = String(known());
    else if (typed !== known()) send(typed, seen);
  };
  return html('input', {
    type: 'number', inputmode: 'numeric', step: '1', 'data-number': key, ...attributes,
    oninput: ({ target }) => { target.dataset.typed ??= version(); }, onchange: settle, onblur: settle,
  });
}

/** Draws fields anew by *draw*: whoever types goes on typing. */
export function keepingTyped(draw) {
  const { number, typed } = document.activeElement?.dataset ?? {};
  const { value } = document.activeElement ?? {};
  drawing = true;
  draw();
  const field = number && document.querySelector(`[data-number="${CSS.escape(number)}"]`);
  if (field) {
    field.focus();
    if (!typed) field.select(); // what one types next takes the place of the number, not one beside it
    else Object.assign(field, { value }).dataset.typed = typed;
  }
  drawing = false;
}
