// From a photo to its reading: sent, watched, refused, or with its board shown by hand.

import { persistently, Refusal, refusalOf } from '../api.js';
import { button, html, svg } from '../draw.js';
import { t } from '../i18n.js';
import { prepared, sizeOf } from './photo.js';

export const SENT_AGAIN = t('The photo is sent as soon as it answers.');

const TITLES = {
  too_large: t('That photo is too large'),
  several: t('Several photos'),
  unreachable: t('The table does not answer'),
  not_found: t('Nothing here'),
  camera: t('The camera cannot be used'),
};

export class Upload {
  /**
   * @param address where photos are sent
   * @param fields gives what is sent with a photo, by name; what is empty is left out
   * @param show shows a screen: its name ('busy' or 'aim'), its elements, and its buttons
   * @param onRead called with the answer
   * @param onRefused called with the error
   * @param leave called when a person does not want to wait, or to show where the board is
   */
  constructor({ address, fields, show, onRead, onRefused, leave }) {
    Object.assign(this, { address, fields, show, onRead, onRefused, leave });
    this.file = null; // what was sent, already shrunk
    this.shape = {}; // where a person said that its board is
    this.shown = null; // the same on the screen: { url, width, height }; sizes only if the browser can show it
  }

  /** Shows another photo, or none any more. */
  async open(file) {
    if (this.shown) URL.revokeObjectURL(this.shown.url);
    this.file = file;
    this.shown = file && { url: URL.createObjectURL(file) };
    if (file) Object.assign(this.shown, await sizeOf(this.shown.url));
  }

  /** The photo that was dropped, if it is a single one. */
  dropped({ dataTransfer: { files } }) {
    if (files.length < 2) return files[0];
    this.onRefused(new Refusal('several', t('Please choose one photo.')));
  }

  cancel() {
    this.request?.abort();
    this.run = null;
  }

  /** Sends a photo, or the promise of one, until it is answered; with a *shape*, the same photo and where its board is. */
  async send(original, shape = {}) {
    this.cancel();
    const run = {};
    this.run = run;
    this.wait(t('Preparing the photo…'));
    try {
      const file = original === this.file ? original : await prepared(original);
      if (this.run !== run) return;
      if (file !== this.file) await this.open(file);
      if (this.run !== run) return;
      this.shape = shape;
      this.preview.src = this.shown.url;
      const form = this.form(file, shape);
      const answer = await persistently(() => this.#post(form), (silence) => this.#step(`${silence} ${SENT_AGAIN}`), () => this.run === run);
      if (this.run === run) this.onRead(answer);
    } catch (error) {
      if (this.run === run) this.onRefused(error);
    }
  }

  /** A photo with what is sent along. */
  form(photo, more = {}) {
    const form = new FormData();
    form.append('photo', photo, 'photo');
    for (const [name, value] of Object.entries({ ...this.fields(), ...more })) {
      if (value !== null && value !== undefined && value !== '') form.append(name, value);
    }
    return form;
  }

  /** XMLHttpRequest, because fetch does not tell how much of the photo has been sent. */
  #post(form) {
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open('POST', this.address);
      request.setRequestHeader('X-CSRF-Token', document.querySelector('meta[name=csrf-token]').content);
      request.responseType = 'json';
      request.upload.addEventListener('progress', (event) => {
        const share = event.lengthComputable ? event.loaded / event.total : null;
        if (share !== null && share < 1) this.#step(t('Sending the photo…'), share);
      });
      request.upload.addEventListener('load', () => this.#step(t('Reading the board…')));
      request.addEventListener('error', () => failed(refusalOf(0, null)));
      request.addEventListener('load', () => {
        const answer = request.response;
        if (request.status < 300 && answer) done(answer);
        else failed(refusalOf(request.status, answer, t('The photo could not be read.')));
      });
      request.send(form);
    });
  }

  wait(text) {
    this.stage = html('p', { 'aria-live': 'polite' }, text);
    this.bar = html('div', { class: 'progress', role: 'progressbar', 'aria-label': text }, html('span'));
    this.preview = html('img', { alt: '' });
    this.show('busy', [html('div', { class: 'busy' },
      html('div', { class: 'busy-photo' }, this.preview, html('span', { class: 'scan' })), this.stage, this.bar,
      button({ class: 'button quiet', 'data-cancel': true, onclick: () => { this.cancel(); this.leave(); } }, t('Cancel')))], []);
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

  /** What a refusal says, with the photo, and where it may help the button that shows where the board is. */
  refusal(error, spec) {
    if (!(error instanceof Refusal)) console.error(error);
    const message = error instanceof Refusal ? error.message
      : t('This browser could not open the photo. Please take or choose another one.');
    const photo = this.shown?.width && error.code !== 'several' ? html('img', { src: this.shown.url, alt: t('The photo that was refused') }) : null;
    const mayShow = photo && spec && error.status === 422 && error.code !== 'not_taught';
    return [
      html('div', { class: 'refused', role: 'alert' }, photo,
        html('div', {}, html('h3', {}, TITLES[error.code] ?? (error.isLater ? t('Please wait a little') : t('That photo cannot be read'))), html('p', {}, message))),
      ...mayShow ? [button({ class: 'button primary big', 'data-aim': true, onclick: () => this.#aim(spec) }, t('Show where the board is'))] : [],
      ...error.isLater && this.file ? [button({ class: 'button primary big', 'data-again': true, onclick: () => this.send(this.file, this.shape) }, t('Send again'))] : [],
    ];
  }

  /** Asks a person where the board is. */
  async #aim({ rows, cols }) {
    const { Corners } = await import('./corners.js'); // few photos need it
    const view = svg('svg', { class: 'overlay aim-view' });
    const corners = new Corners(view);
    const { corners: before, ...shown } = this.shape;
    let size = { rows: Math.min(rows[1], Math.max(rows[0], 3)), cols: Math.min(cols[1], Math.max(cols[0], 3)), ...shown };
    const counter = (name, label, [least, most]) => (least === most ? null
      : html('label', { class: 'field counter' }, html('span', {}, label), html('select', {
        'data-size': name,
        onchange: (event) => {
          size = { ...size, [name]: Number(event.target.value) };
          corners.resize(size.rows, size.cols);
        },
      }, ...Array.from({ length: most - least + 1 }, (_, i) => html('option',
        { value: String(least + i), selected: least + i === size[name] }, String(least + i))))));
    this.show('aim', [
      html('p', { class: 'hint' }, t('Drag the four dots to the outer corners of the grid, so that the lines run between the pieces. “Top” is the side that players call the top.')),
      html('div', { class: 'counters' }, ...[counter('rows', t('Rows'), rows), counter('cols', t('Columns'), cols)].filter(Boolean)),
      html('div', { class: 'panel photo' }, view),
    ], [
      button({ class: 'button', onclick: () => this.leave() }, t('Retake')),
      button({ class: 'button', 'data-turn-corners': true, onclick: () => corners.turn() }, t('Turn')),
      button({ class: 'button primary', 'data-read-here': true, onclick: () => this.send(this.file, { corners: corners.text, ...size }) },
        t('Read here')),
    ]);
    corners.open(this.shown, size.rows, size.cols, before);
  }
}

