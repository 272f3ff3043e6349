// What a new photo changes: told by the game, with the moves that explain it.

import { Refusal, send } from '../api.js';
import { html, warning } from '../draw.js';
import { t } from '../i18n.js';
import * as live from '../live.js';

const FEW = 4; // moves that are listed without a tap

export class Since {
  /**
   * @param code of the game
   * @param seat whose board it is, or null for one that all share
   * @param mayNote whether the photo may show what was played; else it only corrects a reading
   * @param seen the version of the game that the person saw last
   * @param onMark called with the cells that changed, [row, col] each
   */
  constructor({ code, seat, mayNote, seen, onMark }) {
    Object.assign(this, { code, seat, mayNote, seen, onMark });
    this.element = html('section', { class: 'since panel', 'aria-labelledby': 'since-title', hidden: true });
    this.says = html('p', { 'data-says': true, role: 'status' });
    this.asked = 0;
    this.wanted = mayNote ? null : false; // until a person says so, the game says whether to note the moves
    this.change = null;
    this.told = {}; // the board that was asked about last, and the moves that explained it, with who made them
    this.looked = Promise.resolve(); // when the last question is answered
  }

  /** The moves that are kept with the board; none where they are not known or not wanted. */
  get moves() { return this.#isWanted ? this.change.moves : []; }

  get #isWanted() { return Boolean(this.change && (this.wanted ?? this.change.noted)); }

  /** Asks what the board in notation changes. */
  look(text) {
    this.looked = this.#look(text);
  }

  async #look(text) {
    this.asked += 1;
    const mine = this.asked;
    const seen = live.version();
    this.change = null;
    try {
      const question = { type: 'change', action: { type: 'board', seat: this.seat, text } };
      const { answer } = await send(`/api/games/${this.code}/ask`, { question });
      if (mine !== this.asked) return;
      this.seen = seen;
      const told = { text, moves: JSON.stringify([answer.says, answer.moves]) };
      if (told.text === this.told.text && told.moves !== this.told.moves) this.wanted = false; // the game changed since the photo
      this.told = told;
      this.#show(answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (mine === this.asked) this.#show(null); // the board itself is refused when it is used
    }
  }

  #show(change) {
    this.change = change;
    this.element.hidden = !change?.says;
    this.onMark(change?.cells ?? []);
    if (this.element.hidden) return;
    this.element.classList.toggle('unlikely', !change.possible);
    this.says.textContent = change.says;
    this.element.replaceChildren(...[
      html('h3', { id: 'since-title' }, t('Since the board before')),
      this.says,
      change.why ? warning(change.why) : null,
      this.#told(change.told),
      this.mayNote && change.moves.length ? html('label', { class: 'since-note' },
        html('input', {
          type: 'checkbox', 'data-note-moves': true, checked: this.#isWanted,
          onchange: (event) => { this.wanted = event.target.checked; },
        }), html('span', {}, t('Note this as played, not as a correction'))) : null,
    ].filter(Boolean));
  }

  #told(told) {
    if (!told.length) return null;
    const list = html('ol', {}, ...told.map((one) => html('li', {}, one)));
    return told.length <= FEW ? list : html('details', {}, html('summary', {}, t('One by one')), list);
  }
}
