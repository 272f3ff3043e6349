// The way from the table to a board: take or choose a photo, watch it being read, see what was read on the photo and
// redrawn beside it, correct it, or show where the board is; or type it in without a photo.

import { ask, newKey, pause, persistently, Refusal, samplePhoto, send } from '../api.js';
import { button, html, icon, onTravel, svg, warning } from '../draw.js';
import { t } from '../i18n.js';
import { hasCamera, LiveCamera } from './camera.js';
import { Grid } from './grid.js';
import * as live from '../live.js';
import { cellShape } from './overlay.js';
import { readWords } from './pieces.js';
import { ReadingView } from './reading.js';
import { Since } from './since.js';
import { Upload } from './upload.js';

const FRAME = 'M14 52V32a18 18 0 0 1 18-18h20M188 14h20a18 18 0 0 1 18 18v20M226 188v20a18 18 0 0 1-18 18h-20M52 226H32a18 18 0 0 1-18-18v-20';
const PATIENCE_MS = 3000; // for what a board changes, once it is used
const MOST_DRAWN = 6; // rows and columns of the picture of a board that may be larger

/**
 * Opens the dialog, which lasts until the game has taken the board, or it waits to be sent. Resolves with the game after it, or null if
 * the person goes back; rejects with a Refusal of a board that was sent later.
 * @param code of the game
 * @param sure asks before what a person changed is lost
 * @param title what the dialog is called
 * @param board what is photographed: 'stones', 'seasons', 'time' or 'custom'
 * @param seat whose board it is, or null for one that all share
 * @param photo the number of a kept photo to go on with
 * @param left what was done in a review of that photo, or of a board typed in, that this tab left; `isUnread`: only a photo was sent
 */
export function photograph({ code, sure, title, board, seat = null, photo = null, left = null }) {
  return new Promise((resolve) => {
    new Review({ code, sure, title, board, seat }, resolve).start(photo, left);
  });
}

let shown = null; // the review that is open, or whose board waits to be sent

const LEFT = `tallystone.review.${document.body.dataset.code}`; // phones drop pages from memory all the time

function remember() {
  try {
    const options = shown?.options;
    if (options) sessionStorage.setItem(LEFT, JSON.stringify(options));
    else sessionStorage.removeItem(LEFT);
  } catch { /* private browsing */ }
}

document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && remember());

/** Options with which `photograph` goes on with the review that was open when this tab left the game; null if none was. */
export function leftOpen() {
  try {
    return JSON.parse(sessionStorage.getItem(LEFT));
  } catch {
    return null;
  }
}

/** Lets an open review see that the game was changed meanwhile. */
export const changed = () => shown?.overtaken();

class Review {
  constructor(options, resolve) {
    Object.assign(this, options);
    this.resolve = resolve;
    this.answer = null; // the promise of the game after the board, once it is sent
    this.upload = new Upload({
      address: `/api/games/${this.code}/photos`,
      fields: () => ({ board: this.board, seat: this.seat, key: newKey() }), // by the key the server keeps it once
      show: (view, body, foot) => {
        this.#show(view, body, foot);
        this.heading.focus();
      },
      onRead: (answer) => this.#read(answer),
      onRefused: (error) => this.#refused(error),
      leave: () => (this.dialog.dataset.view === 'busy' ? this.dialog.close() : this.#take()),
    });
    this.body = html('div', { class: 'review-body' });
    this.foot = html('div', { class: 'review-foot' });
    this.status = html('p', { class: 'visually-hidden', role: 'status' });
    this.heading = html('h2', { id: 'review-title', tabindex: '-1' }, this.title);
    this.dialog = html('dialog', { class: 'review', id: 'review', 'aria-labelledby': 'review-title' },
      html('div', { class: 'review-head' },
        this.heading,
        button({ class: 'icon-button', 'aria-label': t('Close'), onclick: () => this.#leave() }, icon('close'))),
      this.status, this.body, this.foot);
    this.dialog.addEventListener('close', () => this.#closed());
    this.dialog.addEventListener('cancel', (event) => {
      if (event.target !== this.dialog) return; // somebody chose no photo
      event.preventDefault();
      this.#leave();
    });
    this.dialog.addEventListener('drop', (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (this.dialog.dataset.view !== 'take' || !this.#canRead) return;
      const file = this.upload.dropped(event);
      if (file) this.upload.send(file);
    });
    this.dialog.addEventListener('dragover', (event) => event.preventDefault());
    this.dialog.addEventListener('keydown', onTravel((forth) => {
      if (this.dialog.dataset.view === 'result') this.view.travel(forth);
    }));
  }

  start(photo, left) {
    shown = this;
    document.body.append(this.dialog);
    this.dialog.showModal();
    return this.#begin(photo, left);
  }

  async #begin(photo, left = null) {
    this.left = left && { photo, left }; // until it is shown again
    this.upload.wait(t('One moment…'));
    const asked = (path) => persistently(() => ask(`/api/games/${this.code}/${path}`), (silence) => this.upload.wait(silence), () => this.dialog.open);
    try {
      this.isNew = this.compares = false;
      this.seen = live.version();
      this.mayLook = await hasCamera();
      if (photo !== null) {
        this.#read(await asked(`photos/${photo}`));
      } else {
        this.spec = await asked(`boards/${encodeURIComponent(this.board)}`);
        if (left && !left.isUnread) this.#typeIn();
        else this.#take(left && warning(t('The page was left before the photo was read: please take or choose it again.')));
      }
      if (left?.isUnread) this.left = null;
      else if (left) this.#goOn(left);
    } catch (error) {
      if (left && !(error instanceof Refusal)) return this.dialog.close(); // an older version of this page left it in another shape
      if (!error.isLater) this.left = null;
      if (this.dialog.open) this.#refused(error);
    }
  }

  /** With which `photograph` goes on here on another page; null if nothing was sent, read or typed in yet. */
  get options() {
    const { board, seat } = this;
    if (this.left) return { board, seat, ...this.left };
    const { view } = this.dialog.dataset;
    if (view === 'busy' && this.upload.run) return { board, seat, photo: null, left: { isUnread: true } };
    if (!['result', 'sending'].includes(view)) return null;
    const { photo, problems, view: { grid }, since: { mayNote, wanted, told, seen } } = this;
    return { board, seat, photo, left: { problems, grid, since: { mayNote, wanted, told, seen } } };
  }

  #goOn({ problems, grid, since }) {
    Object.assign(this.since, since);
    this.problems = problems;
    this.compares = true;
    this.view.open(Grid.from(grid), this.view.picture);
    this.#refresh();
    this.left = null;
  }

  async #leave() {
    if (await this.#mayDrop()) this.dialog.close();
  }

  /** Whether what is shown may go: nobody changed it, or a person says so. */
  async #mayDrop() {
    if (this.dialog.dataset.view !== 'result' || !this.view.grid.past.length) return true;
    return this.sure({
      title: t('Delete what you changed here?'),
      hint: t('Your changes are not in the game yet.'),
      yes: t('Delete'),
      danger: true,
    });
  }

  /** Another game than the one that refused the board may take it. */
  overtaken() {
    this.refusal = null;
    this.#compare();
  }

  /** Tells from now on what the board changes, against the game as it is then. */
  #compare() {
    this.compares = true;
    if (this.dialog.dataset.view === 'result') this.#refresh();
  }

  #closed() {
    const forget = () => {
      if (shown === this) shown = null;
      remember(); // a page that nobody sees may be dropped as it is
    };
    if (this.answer) this.answer.then(forget, forget);
    else forget();
    this.upload.cancel();
    this.upload.open(null);
    this.camera?.close();
    this.dialog.remove();
    this.resolve(this.answer);
  }

  /** One screen of the dialog. */
  #show(view, body, foot = []) {
    if (view !== 'live') this.camera?.close();
    this.dialog.dataset.view = view;
    this.#say('');
    this.body.replaceChildren(...body);
    this.foot.replaceChildren(...foot);
    this.foot.hidden = foot.length === 0;
    this.body.scrollTop = 0;
  }

  #say(text) { this.status.textContent = text; }

  // Taking a photo

  #take(told = null) {
    const { spec } = this;
    this.isNew = this.compares = true;
    this.upload.open(null);
    const file = (capture) => html('input', {
      type: 'file', class: 'visually-hidden', accept: 'image/jpeg,image/png,image/webp', capture,
      'data-pick': capture ? 'take' : 'choose',
      onchange: (event) => event.target.files[0] && this.upload.send(event.target.files[0]),
    });
    const art = svg('svg', { viewBox: '0 0 240 240', class: 'review-art', 'aria-hidden': 'true' },
      svg('path', { class: 'hero-frame', d: FRAME }),
      svg('g', { class: 'review-grid' }, ...boardArt(spec)));
    this.#show('take', [told, art, ...this.#canRead ? [
      html('p', { class: 'hint' }, t('The whole board in the picture, with a little table around it. Any side, any angle; a lamp reflected on a piece is what hurts most.')),
      this.#copies(),
      html('label', { class: 'button primary big' }, file('environment'), icon('camera'), html('span', {}, t('Take photo'))),
      html('label', { class: 'button big' }, file(null), icon('picture'), html('span', {}, t('Choose photo'))),
      this.mayLook ? button({ class: 'button big', 'data-live': true, onclick: () => this.#live() },
        icon('frame'), html('span', {}, t('Live camera'))) : null,
      spec.samples?.length ? button({
        class: 'button quiet', 'data-sample': true, onclick: () => this.upload.send(samplePhoto(spec.samples[0])),
      }, t('Try a sample photo')) : null,
      this.#typeButton(),
    ] : [
      warning(t('This board cannot be read from photos yet: every copy looks different, so Tallystone has to see yours first. Two photos are enough.'), { 'data-untaught': true }),
      this.#teachButton('button primary big', t('Teach your copy')),
      this.#typeButton(),
    ]].filter(Boolean));
    this.heading.focus();
  }

  get #canRead() { return this.spec.bundled || this.spec.profiles.length > 0; }

  #typeButton() {
    return button({ class: 'button quiet', 'data-type-in': true, onclick: () => this.#typeIn() },
      t('Type the board in instead'));
  }

  /** Which copy lies on the table, for all phones; found from the photo until somebody says. */
  #copies() {
    const { bundled, profiles, copy } = this.spec;
    const option = (value, label) => html('option', { value: JSON.stringify(value), selected: value === copy }, label);
    return html('div', { class: 'review-copy' },
      profiles.length ? html('label', { class: 'field' }, html('span', {}, t('Your copy')),
        html('select', { 'data-copy': true, onchange: (event) => this.#choose(JSON.parse(event.target.value)) },
          option(null, t('Found from the photo')),
          ...profiles.map((name) => option(name, name)),
          ...bundled ? [option('', t('As published'))] : [])) : null,
      this.#teachButton('button quiet', t('Teach this copy')));
  }

  #teachButton(kind, label) {
    const { teach } = document.body.dataset;
    return teach ? html('a', { class: kind, 'data-teach-copy': true, href: `${teach}/${this.board}?game=${this.code}` }, label) : null;
  }

  async #choose(profile) {
    try {
      const board = encodeURIComponent(this.board);
      this.spec = await send(`/api/games/${this.code}/boards/${board}/copy`, { profile });
    } catch (error) {
      this.#refused(error);
    }
  }

  // Looking through the camera

  async #live() {
    const take = button({ class: 'button primary', 'data-take-frame': true, disabled: true }, icon('camera'), t('Take this picture'));
    const lamp = button({ class: 'button', 'aria-pressed': 'false', hidden: true }, icon('light'), t('Light'));
    const camera = new LiveCamera({
      look: async (jpeg, signal) => (await ask(`/api/games/${this.code}/look`, { method: 'POST', body: this.upload.form(jpeg), signal })).reading,
      shape: (cell) => cellShape(this.board, cell.row, cell.col, { read: cell, label: cell.label, checked: cell.sure }),
      onSeen: (steady) => take.classList.toggle('ready', steady.isAgreed),
    });
    this.camera = camera;
    take.addEventListener('click', () => this.upload.send(camera.take()));
    lamp.addEventListener('click', async () => {
      const on = lamp.getAttribute('aria-pressed') !== 'true';
      await camera.shine(on);
      lamp.setAttribute('aria-pressed', String(on));
    });
    this.#show('live', [camera.element], [
      button({ class: 'button', 'data-leave-camera': true, onclick: () => this.#take() }, t('Back')), lamp, take,
    ]);
    this.heading.focus();
    try {
      await camera.open();
      take.disabled = false;
      lamp.hidden = !camera.hasLamp;
    } catch (error) {
      if (this.camera === camera && this.dialog.dataset.view === 'live') this.#refused(error);
    }
  }

  #refused(error) {
    this.#show('refused', [
      ...this.upload.refusal(error, this.spec),
      error.code === 'unknown_pieces' ? this.#teachButton('button primary big', t('Teach this copy')) : null,
      button({ class: 'button big', 'data-retake': true, onclick: () => (this.spec ? this.#take() : this.#begin(null)) }, t('Take another photo')),
      this.spec ? this.#typeButton() : null,
    ].filter(Boolean));
    this.heading.focus();
  }

  // What was read

  #typeIn() {
    this.photo = null;
    this.problems = [];
    this.directed = true;
    const { rows: [least, most], cols: [, widest] } = this.spec;
    this.#result(least === most ? Grid.blank(this.spec) : Grid.blank(this.spec, Math.min(3, most), Math.min(3, widest)), null);
  }

  #read(answer) {
    const { reading } = answer;
    this.spec = { ...this.spec, ...answer.spec };
    this.photo = answer.photo;
    this.problems = reading.problems;
    this.directed = !reading.doubts?.some(({ kind }) => kind === 'direction');
    const grid = new Grid(this.spec, reading.text, reading.cells, reading.doubts);
    if (answer.used) grid.used(answer.used);
    this.#result(grid, answer.kept
      ? { url: `/g/${this.code}/photo/${answer.photo}.jpg`, width: answer.width, height: answer.height } : null);
  }

  #result(grid, picture) {
    this.refusal = null; // why the game did not take the board as it is now
    this.warnings = html('div', { class: 'review-warnings', role: 'alert' });
    this.back = button({ class: 'icon-button', 'aria-label': t('Undo'), 'data-undo': true, onclick: () => this.view.travel(false) }, icon('undo'));
    this.forth = button({ class: 'icon-button', 'aria-label': t('Redo'), 'data-redo': true, onclick: () => this.view.travel(true) }, icon('redo'));
    this.use = button({ class: 'button primary', 'data-use': true, onclick: () => this.#done() }, t('Use this board'));
    this.view = new ReadingView(this.board, (what) => this.#changed(what), this.use);
    this.tools = html('div', { class: 'review-tools' });
    this.since = new Since({
      code: this.code, seat: this.seat, mayNote: this.isNew, seen: this.seen, onMark: (cells) => this.view.mark(cells),
    });
    this.#show('result', [
      html('div', { class: picture ? 'review-pair' : 'review-pair alone' },
        picture ? this.view.figure : null,
        html('div', { class: 'review-side' }, this.warnings, this.since.element, this.view.check,
          html('section', { class: 'panel review-table' }, this.view.squares, this.tools))),
    ], [
      this.back, this.forth,
      button({ class: 'button', 'data-retake': true, onclick: () => this.#again() }, picture ? t('Retake') : t('Photo')),
      this.use,
    ]);
    this.view.open(grid, picture);
    this.#refresh();
    if (picture) this.#say(readWords(this.board, grid));
    this.heading.focus();
  }

  async #again() {
    if (!await this.#mayDrop()) return;
    this.spec.profiles ??= [];
    this.#take();
  }

  #changed(what) {
    this.problems = []; // what was said of the board as it was read
    this.refusal = null;
    this.#refresh();
    this.#say(what);
  }

  /** Sends the board; it stays here, with its photo, if the game refuses it. */
  async #done() {
    const { grid } = this.view;
    const { seen } = this.since;
    this.#send(true);
    await Promise.race([this.since.looked, pause(PATIENCE_MS)]);
    if (!this.dialog.open) return;
    this.answer = live.act({
      type: 'board',
      seat: this.seat,
      text: grid.text,
      photo: this.photo,
      corrections: this.photo === null ? [] : grid.corrections,
      answers: grid.answers,
      turns: grid.turns % 4, // quarters by which the board is turned against the photo
      moves: this.since.moves,
    }, seen);
    try {
      await Promise.race([this.answer, live.unsent()]);
    } catch (error) {
      if (!(error instanceof Refusal && this.dialog.open)) return this.dialog.close();
      this.answer = null;
      this.refusal = error.message;
      this.#send(false);
      this.#compare();
      return this.use.focus();
    }
    return this.dialog.close();
  }

  /** Lets nobody change what is being sent. */
  #send(isSent) {
    this.dialog.dataset.view = isSent ? 'sending' : 'result';
    this.body.inert = this.foot.inert = isSent;
  }

  /** What stands around the reading. */
  #refresh() {
    const { grid } = this.view;
    this.back.disabled = grid.past.length === 0;
    this.forth.disabled = grid.future.length === 0;
    this.use.disabled = !grid.complete;
    if (this.compares && grid.complete) this.since.look(grid.text);
    this.warnings.replaceChildren(...[this.refusal, ...this.problems].filter(Boolean).map((one) => warning(one)));
    const chip = (attributes, symbol, label, onclick) =>
      button({ class: 'chip', ...attributes, onclick }, icon(symbol), label);
    const grow = (side, label) => (this.board !== 'seasons' && grid.mayGrow(side) ? chip({ 'data-grow': side }, 'plus', label, () => this.view.grow(side, label)) : null);
    this.tools.replaceChildren(...[
      html('p', { class: 'hint' }, t('Tap a cell to change it.')),
      grid.mayTurn && (this.board !== 'seasons' || !this.directed) ? chip({ 'data-turn': true }, 'turn', t('Turn'), () => this.view.turn()) : null,
      grow('top', t('Row above')), grow('bottom', t('Row below')), grow('left', t('Column left')), grow('right', t('Column right')),
    ].filter(Boolean));
    remember();
  }
}

/** Empty cells in the shape of a board, between 48 and 192 on both axes. */
function boardArt({ rows, cols }) {
  const [down, across] = [rows, cols].map(([least, most]) => Math.min(most, Math.max(least, MOST_DRAWN)));
  const step = 144 / Math.max(down, across);
  const [left, top] = [120 - (step * across) / 2, 120 - (step * down) / 2];
  return Array.from({ length: down * across }, (_, at) => svg('rect', {
    x: left + step * (at % across) + step * 0.06, y: top + step * Math.floor(at / across) + step * 0.06,
    width: step * 0.88, height: step * 0.88, rx: step * 0.18,
  }));
}
