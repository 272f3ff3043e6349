// The table of Shifting Seasons: whose board is shown, what is tried out on a copy, and what stands around the board.

import { $, button, html, points, textOf } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { GamePage, mounting, unlessRefused } from '../page.js';
import { SEASON } from '../words.js';
import { Board } from './board.js';
import { Pad } from './pad.js';
import { Settings } from './settings.js';
import { Why } from './why.js';
import { tile } from './words.js';

class Page extends GamePage {
  constructor(table, root) {
    super(table, root);
    this.seat = null; // whose board is shown
    this.chosen = null; // the field of the pad that is explained: { card, group: index or null, open: index }
    this.number = null; // the area for which a place is sought
    this.copy = null; // a board that is tried out: { seat, cells, view, asked }, and what it began with: { was, seen }
    this.board = new Board(this);
    this.pad = new Pad(this);
    this.why = new Why(this);
    this.settings = new Settings(this);
    this.#listen();
  }

  get view() { return this.copy ? this.copy.view : this.game.view; }

  get player() { return this.view.players[this.seat]; }

  /** A finished board can still be tried out. */
  get mayTry() { return this.game.view.may_edit; }

  /** The line of the pad that is explained. */
  get explained() { return this.chosen && this.player.cards.find(({ card }) => card === this.chosen.card); }

  update(game) {
    this.game = game;
    this.keepSeat(game);
    if (this.copy) this.quietly(this.#tryOut(this.copy.cells));
    this.show();
  }

  show() {
    this.#drawTabs();
    this.#drawWhatIf();
    this.#drawUnder();
    this.board.drawPalette();
    this.pad.draw();
    this.why.draw();
    this.board.draw();
    this.settings.draw();
    $('sea-photo').hidden = !this.mayEdit;
    $('sea-photo').setAttribute('aria-label', t('Photograph %(name)s’s board', { name: this.player.name }));
  }

  /** Waits for nothing: where it fails, the table has told the person. */
  quietly(promise) { promise.catch(() => {}); }

  /** Shows another player's board. */
  choose(seat) {
    if (this.copy && seat !== this.copy.seat) this.copy = null;
    this.seat = seat;
    this.board.moving = null;
  }

  // Changes

  /** Lays something on a cell: on the board, or on the copy that is tried out; *seen* as in `act`. */
  lay([row, col], label, seen) {
    if (!this.copy) this.act({ type: 'cell', seat: this.seat, row, col, label }, '', seen);
    else this.#change((cells) => { cells[row][col] = label; });
  }

  /** Moves a tile to a free space, likewise. */
  move(origin, target) {
    if (!this.copy) this.act({ type: 'move', seat: this.seat, origin, target });
    else {
      this.#change((cells) => {
        cells[target[0]][target[1]] = cells[origin[0]][origin[1]];
        cells[origin[0]][origin[1]] = '.';
      });
    }
  }

  #change(how) {
    const cells = this.copy.cells.map((line) => [...line]);
    how(cells);
    this.quietly(this.#tryOut(cells));
  }

  // What if

  /** Asks the server what a board would score, and shows it as the copy; only the newest answer for this copy counts. */
  async #tryOut(cells) {
    const { copy } = this;
    copy.cells = cells;
    copy.asked += 1;
    const mine = copy.asked;
    const isCurrent = () => this.copy === copy && copy.asked === mine;
    try {
      const answer = await this.table.ask({ type: 'what_if', seat: copy.seat, text: textOf(cells) });
      if (!isCurrent()) return;
      copy.view = answer;
      this.show();
    } catch (error) {
      if (isCurrent()) copy.cells = copy.view.players[copy.seat].cells; // as it is shown
      throw error;
    }
  }

  #drawWhatIf() {
    const { copy } = this;
    $('sea-whatif').hidden = !copy;
    $('sea-try').setAttribute('aria-pressed', String(Boolean(copy)));
    $('sea').classList.toggle('trying', Boolean(copy));
    if (!copy) return;
    const isOld = this.game.view.players[copy.seat].text !== copy.was;
    $('sea-whatif-keep').disabled = isOld || !this.mayEdit;
    if (isOld) {
      $('sea-whatif-text').textContent = t('This board has changed meanwhile: forget this trial, then try again on the new board.');
      return;
    }
    const [was, is] = [this.game.view, copy.view].map((view) => view.players[this.seat].total);
    const winner = copy.view.players.filter((one) => one.winner).map((one) => one.name).join(t(', '));
    const change = signed(is - was);
    const told = winner ? t('%(points)s, %(change)s. First: %(winner)s.', { points: points(is), change, winner })
      : t('%(points)s, %(change)s.', { points: points(is), change });
    $('sea-whatif-text').textContent = was === is ? t('Change the board: %(points)s so far, nothing is saved.', { points: points(is) }) : told;
  }

  /** What is gained or lost on the copy, as an element; null without a copy or a change. */
  gain(now, before) {
    return this.copy && now !== before
      ? html('small', { class: now > before ? 'up' : 'down' }, signed(now - before)) : null;
  }

  #keepCopy() {
    const kept = this.copy;
    const { photo, turns } = this.game.state.boards[kept.seat];
    this.copy = null;
    this.act({
      type: 'board', seat: kept.seat, text: textOf(kept.cells), photo, turns, corrections: this.#correctionsOf(kept),
    }, '', kept.seen);
    this.show();
  }

  /** What a person changed on a board that a photo gave stays with it. */
  #correctionsOf(kept) {
    const old = this.game.view.players[kept.seat];
    if (old.photo === null) return [];
    const changes = old.cells.flatMap((line, row) => line.map((word, col) => [row, col, word, kept.cells[row][col]]));
    return [...this.game.state.boards[kept.seat].corrections, ...changes.filter(([, , from, to]) => from !== to)];
  }

  // Around the board

  #drawTabs() {
    $('sea-tabs').replaceChildren(...this.view.players.map((one) => button({
      'aria-pressed': String(one.seat === this.seat),
      'data-seat': one.seat,
      onclick: () => { this.choose(one.seat); this.show(); },
    }, tile(one.season), html('span', {}, one.name), html('b', {}, String(one.total)))));
    $('sea-title').textContent = t('Board of %(name)s', { name: this.player.name });
  }

  #drawUnder() {
    const { player } = this;
    $('sea-count').textContent = [
      t('%(n)s of %(all)s tiles', { n: player.tiles, all: this.view.tiles_a_player }),
      t('%(n)s precious', { n: player.precious }),
      t('%(n)s of %(season)s', { n: player.own, season: SEASON[player.season] }),
    ].join(' · ');
    const photo = this.game.photos?.find(({ id }) => id === player.photo);
    $('sea-evidence').hidden = !photo?.kept;
    if (photo?.kept) {
      const address = this.table.photoUrl(photo.id);
      if ($('sea-thumb').getAttribute('src') !== address) $('sea-thumb').src = address;
      $('sea-evidence-text').textContent = player.corrections
        ? tn('From a photo, 1 correction', 'From a photo, %(n)s corrections', player.corrections) : t('From a photo');
    }
    $('sea-numbers').replaceChildren(...player.areas.map((_, at) => at + 1).map((n) => button({
      class: 'chip sea-number-chip',
      'aria-pressed': String(this.number === n),
      'data-number': n,
      'aria-label': t('Area %(n)s', { n }),
      onclick: () => this.#seek(n),
    }, String(n))));
    $('sea-problems').replaceChildren(...this.#warnings().map(({ text, button }) => html('div', { class: 'problem' },
      html('span', {}, text), button ?? null)));
  }

  /** Shows where a tile may go in an area, or ends it. */
  #seek(n) {
    this.number = this.number === n ? null : n;
    this.chosen = null;
    this.show();
    this.board.say(this.number === null ? '' : this.player.areas[n - 1].free);
  }

  #warnings() {
    const { view } = this;
    const found = view.problems.filter(({ seat }) => seat === null || seat === this.seat)
      .map(({ message }) => ({ text: message }));
    const { numbered } = this.player;
    if (numbered && !this.copy) {
      found.push({
        text: tn('1 printed number could not be made out and was added: please check it.',
          '%(n)s printed numbers could not be made out and were added: please check them.', numbered),
        button: this.mayEdit ? button({
          class: 'chip', 'data-numbers-right': true, onclick: () => this.act({ type: 'numbers', seat: this.seat }),
        }, t('That is right')) : null,
      });
    }
    if (view.layouts_differ && !this.copy) {
      found.push({
        text: t('The printed numbers are at different places on the boards.'),
        button: this.mayEdit ? button({
          class: 'chip', onclick: () => this.act({ type: 'layout', ...view.layouts[this.seat] }),
        }, t('All like this one')) : null,
      });
    }
    return found;
  }

  // Photo and buttons

  /** Takes a photo of the shown board, or goes on with one that is kept. */
  async #photograph(photo = null) {
    const { seat } = this;
    if (!await unlessRefused(this.table.photograph({ board: 'seasons', seat, photo }))) return;
    this.copy = null;
    this.show();
  }

  #showPhoto() {
    $('sea-photo-title').textContent = t('The photo of %(name)s’s board', { name: this.player.name });
    $('sea-photo-large').src = $('sea-thumb').src;
    $('sea-photo-large').alt = $('sea-photo-title').textContent;
    $('sea-again').hidden = !this.mayEdit;
    $('sea-photo-sheet').showModal();
  }

  #listen() {
    $('sea-try').addEventListener('click', () => {
      const { game, player: { cells, text: was } } = this;
      this.copy = this.copy ? null : { seat: this.seat, cells, view: game.view, asked: 0, was, seen: game.version };
      this.show();
    });
    $('sea-whatif-end').addEventListener('click', () => { this.copy = null; this.show(); });
    $('sea-whatif-keep').addEventListener('click', () => this.#keepCopy());
    $('sea-photo').addEventListener('click', () => this.#photograph());
    $('sea-evidence').addEventListener('click', () => this.#showPhoto());
    $('sea-again').addEventListener('click', () => {
      $('sea-photo-sheet').close();
      this.#photograph(this.player.photo);
    });
  }
}

export const mount = mounting(Page);

const signed = (n) => (n > 0 ? `+${n}` : `−${-n}`);
