// Cards from a photo: which ones lie on it, those in doubt with their best guesses. The photo is kept nowhere.

import { ask, persistently, Refusal } from '../../api.js';
import { button, cardArt, html, icon, svg, warning } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { cropOf } from '../../review/crop.js';
import { shrunk, sizeOf } from '../../review/photo.js';
import { SENT_AGAIN } from '../../review/upload.js';
import { cardName } from './words.js';

const GUESSES = 2;

export class CardPhoto {
  /**
   * @param table what the shell of the page lets a game do
   * @param onChange called when there is something else to show
   */
  constructor(table, onChange) {
    Object.assign(this, { table, onChange });
    this.forget();
  }

  forget() {
    if (this.shown) URL.revokeObjectURL(this.shown.url);
    this.turn = (this.turn ?? 0) + 1; // an answer for an earlier photo is for nobody
    this.isReading = false;
    this.problem = null;
    this.seen = []; // { card, guesses, chosen }: chosen is null while in doubt
    this.shown = null; // { url, width, height }
  }

  /** Reads a photo; if it shows cards, *take* gets the ids of those that are sure. */
  async read(file, take) {
    this.forget();
    const { turn } = this;
    this.isReading = true;
    this.onChange();
    try {
      const photo = await shrunk(file);
      const url = URL.createObjectURL(photo);
      const size = await sizeOf(url);
      const form = new FormData();
      form.append('photo', photo, 'photo');
      const asking = () => ask(`/api/games/${this.table.code}/cards`, { method: 'POST', body: form });
      const answer = await persistently(asking, (silence) => {
        this.problem = `${silence} ${SENT_AGAIN}`;
        this.onChange();
      }, () => turn === this.turn);
      if (turn !== this.turn) {
        URL.revokeObjectURL(url);
        return;
      }
      this.shown = size && { url, ...size };
      this.seen = answer.cards.map((card) => ({
        card,
        guesses: [[card.id, card.confidence], ...card.alternatives].sort(([, one], [, other]) => other - one)
          .map(([id]) => id).slice(0, GUESSES),
        chosen: card.sure ? card.id : null,
      }));
      this.problem = answer.problems[0] ?? null;
      if (this.seen.length) take(this.seen.map(({ chosen }) => chosen).filter((id) => id !== null));
    } catch (error) {
      if (turn !== this.turn) return;
      if (!(error instanceof Refusal)) throw error;
      this.problem = error.message;
    } finally {
      if (turn === this.turn) {
        this.isReading = false;
        this.onChange();
      }
    }
  }

  /**
   * What was seen, as elements.
   * @param cards all of them by their id, and what may be done with one: `isPicked(id)`, `toggle(id)`, and `hindrance(id)`,
   *   which tells in words why it cannot be taken or gives null
   */
  draw(cards) {
    if (this.isReading) return [html('p', { class: 'hint', role: 'status' }, this.problem ?? t('Reading the cards…'))];
    const left = this.seen.filter(({ chosen }) => chosen === null).length;
    return [
      this.problem ? warning(this.problem, { role: 'alert' }) : null,
      this.seen.length ? html('section', { class: 'group stones-seen' },
        html('h3', {}, html('span', { role: 'status' }, tn('%(n)s card on the photo', '%(n)s cards on the photo', this.seen.length)),
          left ? html('span', { class: 'stones-left' }, tn('%(n)s to check', '%(n)s to check', left)) : null),
        html('ul', {}, ...[...this.seen].sort((one, other) => Number(one.card.sure) - Number(other.card.sure))
          .map((seen) => this.#row(seen, cards)))) : null,
    ].filter(Boolean);
  }

  #row(seen, { byId, isPicked, toggle, hindrance }) {
    const { card, guesses, chosen } = seen;
    const crop = this.shown ? cropOf(svg('svg', { class: 'crop', 'aria-hidden': 'true' }), this.shown, card.quad, 0.06) : null;
    const shown = chosen !== null || card.sure ? [chosen ?? card.id] : guesses;
    const why = shown.map(hindrance).find(Boolean);
    return html('li', { class: why || chosen === null ? 'doubtful' : '' }, crop,
      html('div', { class: 'stones-guesses' }, ...shown.map((id) => button({
        class: 'card',
        'data-seen': id,
        'data-key': `seen-${this.seen.indexOf(seen)}-${id}`,
        'aria-pressed': String(isPicked(id)),
        'aria-label': cardName(byId.get(id)),
        disabled: Boolean(hindrance(id)),
        onclick: () => {
          if (!card.sure) seen.chosen = isPicked(id) ? null : id;
          toggle(id);
        },
      }, cardArt(byId.get(id)), html('span', { class: 'badge held', 'aria-hidden': 'true' }, icon('check'))))),
      why || chosen === null ? html('span', { class: 'stones-left' }, why ?? t('Which one is it? If neither, pick it below.')) : null);
  }
}
