// The way from the table to a board: take or choose a photo, watch it being read, see what was read on the photo and
// redrawn beside it, correct it, or show where the board is; or type it in without a photo.

import { ask, Refusal, samplePhoto } from './api.js';
import { hasCamera, LiveCamera } from './camera.js';
import { Corners } from './corners.js';
import { cropOf, html, icon, onEnter, percent, svg } from './draw.js';
import { areaOf, boxAround, centreOf, within } from './geometry.js';
import { Grid, guesses } from './grid.js';
import { t, tn } from './i18n.js';
import { MAX_BYTES, shrunk, sizeOf } from './photo.js';

const LOOK_AROUND = 0.08; // share of the board's size that is shown around it
const FEW = 3; // doubtful cells listed before one asks for more
const FRAME = 'M14 52V32a18 18 0 0 1 18-18h20M188 14h20a18 18 0 0 1 18 18v20M226 188v20a18 18 0 0 1-18 18h-20M52 226H32a18 18 0 0 1-18-18v-20';
const KEPT_PROFILE = 'tallystone.profile.'; // + board: the copy used last, in this browser

function wordOf(board, label) {
  if (label === '.') return t('empty');
  if (board === 'custom') return label; // somebody's own word
  if (label.endsWith('*')) return t('%(what)s, precious', { what: t(label.slice(0, -1)) });
  if (label.endsWith('!')) return t('%(what)s, framed', { what: label.slice(0, -1) });
  return t(label);
}

const place = (row, col) => t('Row %(row)s, column %(col)s', { row: row + 1, col: col + 1 });

/** A picture of a piece: the game's own drawing, a stone, or its name. */
export function piece(board, label) {
  const symbol = [`piece-${board}-${label}`, `stone-${label}`, label === '.' ? 'piece-none' : '']
    .find((id) => id && document.getElementById(id));
  if (!symbol) return html('span', { class: 'piece-word' }, wordOf(board, label));
  return svg('svg', { viewBox: document.getElementById(symbol).getAttribute('viewBox') ?? '0 0 64 64', 'aria-hidden': 'true', class: 'piece' },
    svg('use', { href: `#${symbol}` }));
}

/**
 * Opens the dialog. Resolves with { text, photo, corrections, turns }, all for a `board` action, or null if the person goes back.
 * @param code of the game
 * @param board what is photographed: 'stones', 'seasons', 'time' or 'custom'
 * @param seat whose board it is, or null for one that all share
 * @param profile the copy to read with, if the caller knows
 * @param photo the number of a kept photo to go on with
 * @param title what the dialog is called
 */
export function photograph({ code, board, seat = null, profile = null, photo = null, title = null }) {
  return new Promise((resolve) => {
    new Review({ code, board, seat, profile, title: title ?? t('Photograph the board') }, resolve).start(photo);
  });
}

class Review {
  constructor(options, resolve) {
    Object.assign(this, options);
    this.resolve = resolve;
    this.answer = null;
    this.file = null; // what was sent, already shrunk
    this.shown = null; // the photo on the screen: { url, width, height }
    this.body = html('div', { class: 'review-body' });
    this.foot = html('div', { class: 'review-foot' });
    this.status = html('p', { class: 'visually-hidden', role: 'status' });
    this.heading = html('h2', { id: 'review-title', tabindex: '-1' }, this.title);
    this.dialog = html('dialog', { class: 'review', 'aria-labelledby': 'review-title' },
      html('div', { class: 'review-head' },
        this.heading,
        html('button', {
          type: 'button', class: 'icon-button', 'aria-label': t('Close'), onclick: () => this.dialog.close(),
        }, icon('close'))),
      this.status, this.body, this.foot);
    this.dialog.addEventListener('close', () => this.#closed());
    this.dialog.addEventListener('drop', (event) => {
      event.preventDefault();
      event.stopPropagation();
      const [file] = event.dataTransfer.files;
      if (file && this.dialog.dataset.view === 'take' && this.#canRead) this.#send(file);
    });
    this.dialog.addEventListener('dragover', (event) => event.preventDefault());
    this.dialog.addEventListener('keydown', (event) => this.#key(event));
  }

  async start(photo) {
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.#wait(t('One moment…'));
    try {
      if (photo !== null) {
        this.#read(await ask(`/api/games/${this.code}/photos/${photo}`));
        return;
      }
      this.spec = await ask(`/api/games/${this.code}/boards/${encodeURIComponent(this.board)}`);
      this.mayLook = await hasCamera();
      this.#take();
    } catch (error) {
      this.#refused(error);
    }
  }

  #closed() {
    this.upload?.abort();
    this.camera?.close();
    if (this.local) URL.revokeObjectURL(this.local);
    this.dialog.remove();
    this.resolve(this.answer);
  }

  /** One screen of the dialog. */
  #show(view, body, foot = []) {
    if (view !== 'live') this.camera?.close();
    this.dialog.dataset.view = view;
    this.body.replaceChildren(...body);
    this.foot.replaceChildren(...foot);
    this.foot.hidden = foot.length === 0;
    this.body.scrollTop = 0;
  }

  #say(text) { this.status.textContent = text; }

  #key(event) {
    if (this.dialog.dataset.view !== 'result' || event.target.closest('input')) return;
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y')) return;
    event.preventDefault();
    event.stopPropagation();
    this.#travel(key === 'y' || event.shiftKey);
  }

  // Taking a photo

  #take() {
    const { spec } = this;
    this.file = null;
    this.shown = null;
    const file = (capture) => html('input', {
      type: 'file', class: 'visually-hidden', accept: 'image/jpeg,image/png,image/webp', capture,
      'data-pick': capture ? 'take' : 'choose',
      onchange: (event) => event.target.files[0] && this.#send(event.target.files[0]),
    });
    const kept = this.#keptProfile();
    const art = svg('svg', { viewBox: '0 0 240 240', class: 'review-art', 'aria-hidden': 'true' },
      svg('path', { class: 'hero-frame', d: FRAME }),
      svg('g', { class: 'review-grid' }, ...[0, 1, 2].flatMap((r) => [0, 1, 2].map((c) =>
        svg('rect', { x: 48 + 50 * c, y: 48 + 50 * r, width: 44, height: 44, rx: 9 })))));
    this.#show('take', [art, ...this.#canRead ? [
      html('p', { class: 'hint' }, t('The whole board in the picture, with a little table around it. Any side, any angle; a lamp reflected on a piece is what hurts most.')),
      this.#profiles(kept),
      html('label', { class: 'button primary big' }, file('environment'), icon('camera'), html('span', {}, t('Take photo'))),
      html('label', { class: 'button big' }, file(null), icon('picture'), html('span', {}, t('Choose photo'))),
      this.mayLook ? html('button', { type: 'button', class: 'button big', 'data-live': true, onclick: () => this.#live() },
        icon('frame'), html('span', {}, t('Live camera'))) : null,
      spec.samples?.length ? html('button', {
        type: 'button', class: 'button quiet', 'data-sample': true, onclick: () => this.#send(samplePhoto(spec.samples[0])),
      }, t('Try a sample photo')) : null,
      this.#typeButton(),
    ].filter(Boolean) : [
      html('p', { class: 'problem', 'data-untaught': true }, icon('warn'), html('span', {}, t('This board cannot be read from photos yet: every copy looks different, so Tallystone has to see yours first. Two photos are enough.'))),
      ...document.body.dataset.teach
        ? [html('a', { class: 'button primary big', href: document.body.dataset.teach }, t('Teach your copy'))] : [],
      this.#typeButton(),
    ]]);
    this.heading.focus();
  }

  get #canRead() { return this.spec.bundled || this.spec.profiles.length > 0; }

  #typeButton() {
    return html('button', { type: 'button', class: 'button quiet', 'data-type-in': true, onclick: () => this.#typeIn() },
      t('Type the board in instead'));
  }

  #profiles(kept) {
    const { bundled, profiles } = this.spec;
    if (profiles.length + (bundled ? 1 : 0) < 2) return null;
    return html('label', { class: 'field' }, html('span', {}, t('Your copy')),
      html('select', { onchange: (event) => this.#keepProfile(event.target.value) },
        ...bundled ? [html('option', { value: '' }, t('Bundled'))] : [],
        ...profiles.map((name) => html('option', { value: name, selected: name === kept }, name))));
  }

  #keptProfile() {
    let kept = this.profile;
    try { kept ??= localStorage.getItem(KEPT_PROFILE + this.spec.name); } catch { /* private browsing */ }
    return this.spec.profiles.includes(kept) ? kept : null;
  }

  #keepProfile(name) {
    this.profile = name;
    try { localStorage.setItem(KEPT_PROFILE + this.spec.name, name); } catch { /* private browsing */ }
  }

  // Looking through the camera

  async #live() {
    const take = html('button', { type: 'button', class: 'button primary', 'data-take-frame': true, disabled: true }, icon('camera'), t('Take this picture'));
    const lamp = html('button', { type: 'button', class: 'button', 'aria-pressed': 'false', hidden: true }, icon('light'), t('Light'));
    const camera = new LiveCamera({
      look: async (jpeg, signal) => (await ask(`/api/games/${this.code}/look`, { method: 'POST', body: this.#form(jpeg), signal })).reading,
      shape: (cell) => this.#shape(cell.row, cell.col, { read: cell, label: cell.label, checked: cell.sure }, false),
      onSeen: (steady) => take.classList.toggle('ready', steady.isAgreed),
    });
    this.camera = camera;
    take.addEventListener('click', async () => this.#send(await camera.take()));
    lamp.addEventListener('click', async () => {
      const on = lamp.getAttribute('aria-pressed') !== 'true';
      await camera.shine(on);
      lamp.setAttribute('aria-pressed', String(on));
    });
    this.#show('live', [camera.element], [
      html('button', { type: 'button', class: 'button', 'data-leave-camera': true, onclick: () => this.#take() }, t('Back')), lamp, take,
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

  // Reading it

  #wait(text) {
    this.stage = html('p', { class: 'busy-text', 'aria-live': 'polite' }, text);
    this.bar = html('div', { class: 'progress', role: 'progressbar', 'aria-label': text }, html('span'));
    this.preview = html('img', { alt: '' });
    this.#show('busy', [html('div', { class: 'busy' },
      html('div', { class: 'busy-photo' }, this.preview, html('span', { class: 'scan' })), this.stage, this.bar,
      html('button', { type: 'button', class: 'button quiet', onclick: () => this.dialog.close() }, t('Cancel')))]);
  }

  #step(text, share = null) {
    this.stage.textContent = text;
    this.bar.setAttribute('aria-label', text);
    this.bar.classList.toggle('measured', share !== null);
    if (share === null) {
      this.bar.removeAttribute('aria-valuenow');
    } else {
      this.bar.setAttribute('aria-valuenow', String(Math.round(share * 100)));
      this.bar.firstChild.style.width = `${share * 100}%`;
    }
  }

  async #send(original, shape = null) {
    this.#wait(t('Preparing the photo…'));
    try {
      if (!shape) {
        this.file = await shrunk(await original);
        if (this.local) URL.revokeObjectURL(this.local);
        this.local = URL.createObjectURL(this.file);
        this.shown = { url: this.local, ...await sizeOf(this.local) };
      }
      if (this.file.size > MAX_BYTES) throw new Refusal('too_large', t('The photo is larger than 25 MB. Please send a smaller one.'));
      this.preview.src = this.local;
      const form = this.#form(this.file);
      for (const [name, value] of Object.entries(shape ?? {})) form.append(name, value);
      this.#read(await this.#post(form));
    } catch (error) {
      if (error.name !== 'AbortError') this.#refused(error);
    }
  }

  #form(photo) {
    const form = new FormData();
    form.append('photo', photo, 'photo');
    form.append('board', this.board);
    if (this.seat !== null) form.append('seat', this.seat);
    const profile = this.#keptProfile();
    if (profile) form.append('profile', profile);
    return form;
  }

  /** XMLHttpRequest, because fetch does not tell how much of the photo has been sent. */
  #post(form) {
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      this.upload = request;
      request.open('POST', `/api/games/${this.code}/photos`);
      request.setRequestHeader('X-CSRF-Token', document.querySelector('meta[name=csrf-token]').content);
      request.responseType = 'json';
      request.upload.addEventListener('progress', (event) => {
        const share = event.lengthComputable ? event.loaded / event.total : null;
        if (share !== null && share < 1) this.#step(t('Sending the photo…'), share);
      });
      request.upload.addEventListener('load', () => this.#step(t('Reading the board…')));
      request.addEventListener('abort', () => failed(new DOMException('gone', 'AbortError')));
      request.addEventListener('error', () => failed(new Refusal('unreachable',
        t('The computer at the table does not answer. Is Tallystone still running there, and is this phone in the same network?'))));
      request.addEventListener('load', () => {
        const answer = request.response;
        if (request.status === 201 && answer) done(answer);
        else failed(new Refusal(answer?.error?.code ?? 'unexpected', answer?.error?.message ?? t('The photo could not be read.'), request.status));
      });
      request.send(form);
    });
  }

  #refused(error) {
    if (!(error instanceof Refusal)) console.error(error);
    const message = error instanceof Refusal ? error.message
      : t('This browser could not open the photo. Please take or choose another one.');
    const mayShow = error.status === 422 && error.code !== 'not_taught' && this.shown?.width;
    this.#show('refused', [
      html('div', { class: 'refused', role: 'alert' },
        this.shown?.width ? html('img', { src: this.shown.url, alt: t('The photo that was refused') }) : null,
        html('div', {}, html('h3', {}, t('That photo cannot be read')), html('p', {}, message))),
      mayShow ? html('button', { type: 'button', class: 'button primary big', 'data-aim': true, onclick: () => this.#aim() }, t('Show where the board is')) : null,
      html('button', { type: 'button', class: 'button big', 'data-retake': true, onclick: () => (this.spec ? this.#take() : this.start(null)) }, t('Take another photo')),
      this.spec ? this.#typeButton() : null,
    ].filter(Boolean));
    this.heading.focus();
  }

  // Showing where it is

  #aim() {
    const { rows, cols } = this.spec;
    const view = svg('svg', { class: 'overlay aim-view' });
    const corners = new Corners(view);
    let size = { rows: Math.min(rows[1], Math.max(rows[0], 3)), cols: Math.min(cols[1], Math.max(cols[0], 3)) };
    const counter = (name, label, [least, most]) => (least === most ? null
      : html('label', { class: 'field counter' }, html('span', {}, label), html('select', {
        'data-size': name,
        onchange: (event) => {
          size = { ...size, [name]: Number(event.target.value) };
          corners.resize(size.rows, size.cols);
        },
      }, ...Array.from({ length: most - least + 1 }, (_, i) => html('option',
        { value: String(least + i), selected: least + i === size[name] }, String(least + i))))));
    this.#show('aim', [
      html('p', { class: 'hint' }, t('Drag the four dots to the outer corners of the grid, so that the lines run between the pieces. “Top” is the side that players call the top.')),
      html('div', { class: 'counters' }, ...[counter('rows', t('Rows'), rows), counter('cols', t('Columns'), cols)].filter(Boolean)),
      html('div', { class: 'panel photo' }, view),
    ], [
      html('button', { type: 'button', class: 'button', onclick: () => this.#take() }, t('Retake')),
      html('button', { type: 'button', class: 'button', onclick: () => corners.turn() }, t('Turn')),
      html('button', {
        type: 'button', class: 'button primary', 'data-read-here': true,
        onclick: () => this.#send(this.file, { corners: corners.text, ...size }),
      }, t('Read here')),
    ]);
    corners.open(this.shown, size.rows, size.cols);
    this.heading.focus();
  }

  // What was read

  #typeIn() {
    this.photo = null;
    this.picture = null;
    this.problems = [];
    this.grid = Grid.blank(this.spec, Math.min(3, this.spec.rows[1]), Math.min(3, this.spec.cols[1]));
    if (this.spec.rows[0] === this.spec.rows[1]) this.grid = Grid.blank(this.spec);
    this.#result();
  }

  #read(answer) {
    const { reading } = answer;
    this.spec = { ...this.spec, ...answer.spec };
    this.photo = answer.photo;
    this.picture = answer.kept
      ? { url: `/g/${this.code}/photo/${answer.photo}.jpg`, width: answer.width, height: answer.height } : null;
    this.problems = reading.problems;
    this.grid = new Grid(this.spec, reading.text, reading.cells);
    if (answer.used) this.grid.used(answer.used);
    this.#result();
  }

  #result() {
    this.showAll = false;
    this.overlay = svg('svg', { class: 'overlay', role: 'group', 'aria-label': t('Photo with what was read') });
    this.verdict = html('span', { class: 'verdict' });
    this.check = html('section', { class: 'check panel', 'aria-label': t('Please check') });
    this.warnings = html('div', { role: 'alert' });
    this.board_ = html('div', { class: 'review-board', role: 'group', 'aria-label': t('The board as it will be used') });
    this.back = html('button', { type: 'button', class: 'icon-button', 'aria-label': t('Undo'), 'data-undo': true, onclick: () => this.#travel(false) }, icon('undo'));
    this.forth = html('button', { type: 'button', class: 'icon-button', 'aria-label': t('Redo'), 'data-redo': true, onclick: () => this.#travel(true) }, icon('redo'));
    this.use = html('button', { type: 'button', class: 'button primary', 'data-use': true, onclick: () => this.#done() }, t('Use this board'));
    this.zoom = html('button', { type: 'button', class: 'chip', 'aria-pressed': 'false', onclick: () => this.#zoom(this.zoom.getAttribute('aria-pressed') !== 'true') }, t('Whole photo'));
    this.tools = html('div', { class: 'review-tools' });
    this.#show('result', [
      html('div', { class: this.picture ? 'review-pair' : 'review-pair alone' },
        this.picture ? html('figure', { class: 'photo panel' }, this.overlay, html('figcaption', {}, this.verdict, this.zoom)) : null,
        html('div', { class: 'review-side' }, this.check,
          html('section', { class: 'panel review-table' }, this.warnings, this.board_, this.tools))),
    ], [
      this.back, this.forth,
      html('button', { type: 'button', class: 'button', 'data-retake': true, onclick: () => this.#again() }, this.picture ? t('Retake') : t('Photo')),
      this.use,
    ]);
    this.#refresh();
    if (this.picture) this.#zoom(false);
    const left = this.grid.doubtful.length;
    if (this.picture) this.#say(left ? tn('Read. %(n)s cell to check.', 'Read. %(n)s cells to check.', left) : t('Read. All cells are clear.'));
    this.heading.focus();
  }

  async #again() {
    this.spec.profiles ??= [];
    this.#take();
  }

  #travel(forth) {
    if (forth ? this.grid.redo() : this.grid.undo()) this.#changed(forth ? t('Redone.') : t('Undone.'));
  }

  #changed(what) {
    this.problems = []; // what was said of the board as it was read
    this.#refresh();
    this.#say(what);
  }

  #correct(row, col, label) {
    if (this.grid.correct(row, col, label)) {
      this.#changed(t('%(place)s is %(what)s.', { place: place(row, col), what: wordOf(this.board, label) }));
    }
  }

  #done() {
    this.answer = {
      text: this.grid.text,
      photo: this.photo,
      corrections: this.photo === null ? [] : this.grid.corrections,
      turns: this.grid.turns % 4, // quarters by which the board is turned against the photo
    };
    this.dialog.close();
  }

  #refresh() {
    const { grid } = this;
    if (this.picture) this.#drawOverlay();
    this.#drawBoard();
    this.#listDoubtful();
    this.back.disabled = grid.past.length === 0;
    this.forth.disabled = grid.future.length === 0;
    this.use.disabled = !grid.complete;
    this.warnings.replaceChildren(...this.problems.map((problem) =>
      html('p', { class: 'problem' }, icon('warn'), html('span', {}, problem))));
    const left = grid.doubtful.length;
    this.verdict.className = left ? 'verdict doubtful' : 'verdict sure';
    this.verdict.replaceChildren(icon(left ? 'warn' : 'check'),
      left ? tn('%(n)s to check', '%(n)s to check', left) : t('All clear'));
  }

  #drawOverlay() {
    const shapes = this.grid.places.filter(([, , cell]) => cell.read)
      .map(([row, col, cell]) => this.#shape(row, col, cell));
    this.overlay.replaceChildren(
      svg('image', { href: this.picture.url, width: this.picture.width, height: this.picture.height }),
      ...shapes.map((shape) => shape.group),
      ...shapes.map((shape) => shape.tag)); // above all outlines, so that no neighbour hides a word
  }

  // One cell on the photo: its outline, and its piece in a corner so that what lies there can still be seen.
  #shape(row, col, cell, mayAsk = true) {
    const { quad } = cell.read;
    const lines = quad.map(([x, y]) => `${x + 0.5},${y + 0.5}`).join(' ');
    const side = Math.sqrt(areaOf(quad));
    const [cx, cy] = centreOf(quad).map((value) => value + 0.5);
    const says = `${place(row, col)}: ${wordOf(this.board, cell.label)}${cell.checked ? '' : `, ${t('please check')}`}`;
    const ask_ = () => this.#pick(row, col);
    const group = svg('g', {
      class: cell.checked ? 'cell' : 'cell doubtful',
      'data-cell': `${row},${col}`,
      ...mayAsk ? { role: 'button', tabindex: '0', 'aria-label': says, onclick: ask_, onkeydown: onEnter(ask_) } : {},
    },
    svg('polygon', { points: lines, class: 'cell-glow' }),
    svg('polygon', { points: lines, class: 'cell-line' }));
    const tag = svg('g', { class: cell.checked ? 'cell-tag' : 'cell-tag doubtful', 'aria-hidden': 'true' });
    if (cell.label !== '.') {
      const picture = piece(this.board, cell.label);
      const half = side * 0.21;
      const at = { x: cx - half, y: cy + side * 0.04, width: half * 2, height: half * 2 };
      if (picture.tagName === 'svg') {
        for (const [name, value] of Object.entries(at)) picture.setAttribute(name, value);
        tag.append(svg('rect', { ...at, rx: half * 0.3, class: 'tag-back' }), picture);
      } else {
        const word = wordOf(this.board, cell.label);
        const width = side * Math.min(0.9, 0.14 * word.length + 0.12);
        tag.append(
          svg('rect', { x: cx - width / 2, y: cy + side * 0.14, width, height: side * 0.26, rx: side * 0.08 }),
          svg('text', { x: cx, y: cy + side * 0.32, class: 'label-word', 'text-anchor': 'middle', 'font-size': side * 0.17, textLength: width * 0.86, lengthAdjust: 'spacingAndGlyphs' }, word));
      }
    }
    tag.append(svg('g', { class: 'label-mark', transform: `translate(${cx + side * 0.32} ${cy - side * 0.32})` },
      svg('circle', { r: side * 0.15 }), svg('text', { y: side * 0.08, 'font-size': side * 0.22 }, '?')));
    return { group, tag };
  }

  #zoom(whole) {
    const { width, height } = this.picture;
    const quads = this.grid.places.filter(([, , cell]) => cell.read).map(([, , cell]) => cell.read.quad);
    let box = { x: 0, y: 0, width, height };
    if (!whole && quads.length) {
      box = within(boxAround(quads, LOOK_AROUND), this.picture);
    }
    this.overlay.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
    this.overlay.style.aspectRatio = `${box.width} / ${box.height}`;
    this.zoom.setAttribute('aria-pressed', String(whole));
  }

  #drawBoard() {
    const { grid } = this;
    this.board_.style.gridTemplateColumns = `repeat(${grid.cols}, minmax(0, 1fr))`;
    this.board_.dataset.cols = grid.cols;
    this.board_.replaceChildren(...grid.places.map(([row, col, cell]) => {
      const says = `${place(row, col)}: ${wordOf(this.board, cell.label)}${cell.checked ? '' : `, ${t('please check')}`}`;
      return html('button', {
        type: 'button', class: `square${cell.checked ? '' : ' doubtful'}${cell.label === '.' ? ' blank' : ''}`, 'aria-label': says, 'data-at': `${row},${col}`, 'data-label': cell.label,
        onclick: () => this.#pick(row, col),
      }, piece(this.board, cell.label), cell.checked ? null : html('span', { class: 'tile-mark', 'aria-hidden': 'true' }, '?'));
    }));
    const grow = (side, label, may) => (may ? html('button', {
      type: 'button', class: 'chip', 'data-grow': side, onclick: () => { grid.grow(side); this.#changed(label); },
    }, icon('plus'), label) : null);
    this.tools.replaceChildren(...[
      html('p', { class: 'hint' }, t('Tap a cell to change it.')),
      grid.mayTurn && this.board !== 'seasons' ? html('button', {
        type: 'button', class: 'chip', 'data-turn': true, onclick: () => { grid.turn(); this.#changed(t('The board is turned.')); },
      }, icon('turn'), t('Turn')) : null,
      grow('top', t('Row above'), grid.mayGrowRows), grow('bottom', t('Row below'), grid.mayGrowRows),
      grow('left', t('Column left'), grid.mayGrowCols), grow('right', t('Column right'), grid.mayGrowCols),
    ].filter(Boolean));
  }

  #listDoubtful() {
    const cells = this.picture ? this.grid.doubtful : [];
    const shown = this.showAll ? cells : cells.slice(0, FEW);
    this.check.hidden = cells.length === 0;
    this.check.replaceChildren(
      html('div', { class: 'check-head' }, html('h3', {}, t('Please check')),
        cells.length > 1 ? html('button', {
          type: 'button', class: 'chip', 'data-all-right': true,
          onclick: () => { this.grid.confirm(); this.#changed(t('All confirmed.')); },
        }, t('All are right')) : ''),
      html('ul', { class: 'check-list' }, ...shown.map(([row, col, cell]) => html('li', {},
        cell.read ? cropOf(svg('svg', { class: 'crop', role: 'img', 'aria-label': t('%(place)s on the photo', { place: place(row, col) }) }), this.picture, cell.read.quad) : null,
        html('div', { class: 'check-text' },
          html('strong', {}, place(row, col)),
          html('button', { type: 'button', class: 'guess other', onclick: () => this.#pick(row, col) }, t('Other…')),
          html('div', { class: 'guesses' }, ...guesses(cell, 2).map(([label]) => html('button', {
            type: 'button', class: 'guess', 'data-guess': label, onclick: () => this.#correct(row, col, label),
          }, piece(this.board, label), html('span', {}, wordOf(this.board, label))))))))),
      shown.length < cells.length ? html('button', {
        type: 'button', class: 'button quiet', onclick: () => { this.showAll = true; this.#listDoubtful(); },
      }, t('Show %(n)s more', { n: cells.length - shown.length })) : '');
  }

  // Which piece lies there

  #pick(row, col) {
    const cell = this.grid.now[row][col];
    const shares = new Map(cell.checked ? [] : guesses(cell, 8));
    const choose = (label) => { sheet.close(); this.#correct(row, col, label); };
    const choices = this.spec.labels.map((label) => html('button', {
      type: 'button', class: 'symbol', 'data-label': label, 'aria-pressed': String(label === cell.label),
      onclick: () => choose(label),
    }, piece(this.board, label), html('span', {}, wordOf(this.board, label)),
    (shares.get(label) ?? 0) >= 0.01 ? html('span', { class: 'share' }, percent(shares.get(label))) : null));
    const typed = html('form', {
      class: 'join-row', hidden: this.board !== 'custom',
      onsubmit: (event) => { event.preventDefault(); choose(event.target.elements.label.value.trim()); },
    }, html('input', { name: 'label', required: true, maxlength: '40', pattern: '[^\\s\\/]+', autocomplete: 'off', 'aria-label': t('Another piece, in one word'), placeholder: t('another piece') }),
    html('button', { class: 'button' }, t('Set')));
    const sheet = html('dialog', { class: 'sheet', 'aria-labelledby': 'pick-title' },
      html('div', { class: 'sheet-head' },
        cell.read && this.picture ? cropOf(svg('svg', { class: 'crop', 'aria-hidden': 'true' }), this.picture, cell.read.quad) : null,
        html('div', {}, html('h2', { id: 'pick-title' }, place(row, col)), html('p', { class: 'hint' }, t('What lies there?'))),
        html('button', { type: 'button', class: 'icon-button', 'aria-label': t('Close'), onclick: () => sheet.close() }, icon('close'))),
      html('div', { class: choices.length > 8 ? 'picker-symbols many' : 'picker-symbols' }, ...choices), typed);
    sheet.addEventListener('click', (event) => { if (event.target === sheet) sheet.close(); });
    sheet.addEventListener('close', () => {
      sheet.remove();
      this.board_.querySelector(`[data-at="${row},${col}"]`)?.focus({ preventScroll: true });
    });
    this.dialog.append(sheet);
    sheet.showModal();
    sheet.querySelector('[aria-pressed=true]')?.focus();
  }
}
