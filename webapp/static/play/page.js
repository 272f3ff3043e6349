// What the pages of all games do alike.

import { $ } from '../draw.js';

/** The `mount` of a game's module: builds its page once; gives the function that shows a newer game. */
export const mounting = (Page) => (table, root) => {
  const page = new Page(table, root);
  return (game) => page.update(game);
};

/** Waits for an action; gives null where it is refused: then the shell has shown it. */
export async function unlessRefused(doing) {
  try {
    return await doing;
  } catch (error) {
    if (!error.code) throw error; // a slip of the page, not a refusal
    return null;
  }
}

export class GamePage {
  /**
   * @param table what the shell of the page lets a game do: `act`, `ask`, `photograph`, `game`, `say`
   * @param root the element that holds the page
   */
  constructor(table, root) {
    Object.assign(this, { table, root });
    this.game = null;
    table.unfinished = () => this.unfinished;
    for (const button of root.querySelectorAll('[data-tab]')) {
      button.addEventListener('click', () => this.choosePane(button.dataset.tab));
    }
  }

  get view() { return this.game.view; }

  get mayEdit() { return this.view.may_edit && !this.game.finished; }

  /** What speaks against finishing the game now; empty if nothing does. */
  get unfinished() { return this.game.view.unfinished ?? ''; }

  /**
   * Does an action and says what was done; resolves with null where it is refused.
   * @param seen the version that the person decided on, where that is not the one that is shown: a sheet that stays as it
   *   was drawn passes the version at its opening, so that what others did meanwhile is not overwritten
   */
  act(action, says = '', seen = this.game.version) { return this.#told(this.table.act(action, seen), says); }

  async #told(doing, says) {
    const game = await unlessRefused(doing);
    if (!game) return null;
    const isTold = game.news.at(-1)?.version === game.version; // by the table, to everybody
    if (says && !isTold) this.table.say(says);
    return game;
  }

  /**
   * Lets the page's two buttons open the photo dialog: one with a new photo, one with the photo that is kept.
   * @param board the kind of board, which all players share
   * @param kept gives the number of the kept photo
   * @param says what is said once the board was taken over
   */
  photographs(board, kept, says) {
    const photograph = (photo) => this.#told(this.table.photograph({ board, photo }), says);
    $('photo').addEventListener('click', () => photograph(null));
    $('look-again').addEventListener('click', () => photograph(kept()));
  }

  /**
   * Shows one's own board at first and whenever one gets another seat, also in place of one that is gone; what was
   * asked about another board is no longer asked. The page has the `seat` that is shown, and `choose`.
   */
  keepSeat({ view, you }) {
    const isOther = you.seat !== null && you.seat !== this.ownSeat;
    this.ownSeat = you.seat;
    if (!isOther && this.seat !== null && this.seat < view.players.length) return;
    for (const sheet of this.root.querySelectorAll('dialog[open]')) sheet.close();
    this.choose(you.seat ?? 0);
  }

  /** Shows one of the panes. */
  choosePane(name) {
    for (const button of this.root.querySelectorAll('[data-tab]')) {
      const isShown = button.dataset.tab === name;
      button.setAttribute('aria-pressed', String(isShown));
      $(`pane-${button.dataset.tab}`).hidden = !isShown;
    }
  }
}
