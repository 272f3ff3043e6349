// A number that a finger can set: the coins of a villager, the gold of a supply.

import { html } from '../../draw.js';
import { t } from '../../i18n.js';
import { numberField } from '../number.js';
import { chip } from './words.js';

export class Stepper {
  /**
   * Fills an element with a field for a number from 0 and with buttons on either side.
   * @param holder the element
   * @param asked gives what is asked for now, or null: the `key` of the thing, its `label`, the `value` that the game
   *   has, and `send`, which sets another one and resolves once that is answered
   */
  constructor(holder, asked) {
    this.asked = asked;
    this.key = null; // of the thing that is shown
    this.wanted = null; // what was set last, until it is answered: { key, n }
    this.label = html('span', { class: 'vil-stepper-label' });
    this.field = numberField(holder.id, () => this.value, (n) => this.#set(n), { min: 0 });
    this.steps = [-5, -1, 1, 5].map((by) => ({ by, button: chip(by > 0 ? `+${by}` : `−${-by}`, () => this.#set(Math.max(0, this.value + by))) }));
    const [fiveLess, less, more, fiveMore] = this.steps.map(({ button }) => button);
    holder.replaceChildren(this.label, html('div', {}, fiveLess, less, this.field, more, fiveMore));
  }

  /** The number that counts: the one that was set last, even before it is answered. */
  get value() {
    const now = this.asked();
    return this.wanted && this.wanted.key === now?.key ? this.wanted.n : now?.value ?? 0;
  }

  /** Shows the number as it is now; what somebody is typing stays. */
  draw() {
    const now = this.asked();
    if (!now) return;
    const { key, label } = now;
    const { field, value } = this;
    if (key !== this.key) delete field.dataset.typed;
    this.key = key;
    this.label.textContent = label;
    field.setAttribute('aria-label', label);
    if (!field.dataset.typed && field.value !== String(value)) {
      field.value = String(value);
      if (document.activeElement === field) field.select();
    }
    for (const { by, button } of this.steps) {
      button.disabled = value + by < 0;
      button.setAttribute('aria-label', by > 0 ? t('%(label)s: %(n)s more', { label, n: by }) : t('%(label)s: %(n)s less', { label, n: -by }));
    }
  }

  async #set(n) {
    const now = this.asked();
    if (!now) return;
    const mine = { key: now.key, n };
    this.wanted = mine;
    this.draw();
    try {
      await now.send(n);
    } finally {
      if (this.wanted === mine) this.wanted = null;
      this.draw();
    }
  }
}
