// A number that a finger can set: the coins of a villager, the gold of a supply.

import { html } from '../../draw.js';
import { t } from '../../i18n.js';
import { chip } from './words.js';

/** A number from 0 to *most* with buttons on either side, and a field to type it in. */
export function stepper(holder, label, value, most, change) {
  const step = (by) => chip(by > 0 ? `+${by}` : `−${-by}`, () => change(Math.max(0, value + by)),
    { disabled: value + by < 0, 'data-key': `${label} ${by}`, 'aria-label': by > 0 ? t('%(label)s: %(n)s more', { label, n: by }) : t('%(label)s: %(n)s less', { label, n: -by }) });
  const field = html('input', {
    type: 'number', 'data-key': label, inputmode: 'numeric', min: 0, max: most, value, 'aria-label': label,
    onchange: (event) => { const n = Number.parseInt(event.target.value, 10); if (n >= 0) change(n); },
  });
  holder.replaceChildren(html('span', { class: 'vil-stepper-label' }, label),
    html('div', {}, step(-5), step(-1), field, step(1), step(5)));
}
