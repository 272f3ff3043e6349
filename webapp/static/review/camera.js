// The live camera, where the browser allows it: over https. It looks at one frame after another, holds what was read
// steady on the picture while the hand moves, and gives one frame as the photo. Nothing of it is kept until then.

import { pause, Refusal } from '../api.js';
import { html, svg } from '../draw.js';
import { t, tn } from '../i18n.js';
import { greyOf, movement, Steady } from './steady.js';

const WANTED = { facingMode: { ideal: 'environment' }, width: { ideal: 1920 }, height: { ideal: 1440 } };
const LOOK_SIDE = 1280; // the long side of a frame that is only looked at
const LOOK_QUALITY = 0.8;
const PHOTO_QUALITY = 0.95;
const REST_MS = 150; // between an answer and the next look, so that other phones get their turn
const RETRY_MS = 2000; // after the table computer did not answer
const FOLLOW_MS = 60; // between two looks for movement
const STOPPED = t('The camera has stopped: go back and start it again, or take a photo.');
const MISSES = 2; // looks in vain until what was seen is taken away
const EXPLAIN = 4; // looks in vain until the reason is given

/** Whether there is a camera that this page may ask for. */
export async function hasCamera() {
  try {
    const devices = await navigator.mediaDevices.enumerateDevices();
    return devices.some((device) => device.kind === 'videoinput');
  } catch {
    return false; // plain http, or an old browser
  }
}

export class LiveCamera {
  /**
   * @param look reads a frame: given a JPEG and a signal to end it gives the reading, or throws a Refusal
   * @param shape draws a cell of the reading: gives its outline and its tag
   * @param onSeen called with the Steady after every look
   */
  constructor({ look, shape, onSeen }) {
    Object.assign(this, { look, shape, onSeen });
    this.steady = new Steady();
    this.ending = new AbortController();
    this.frame = document.createElement('canvas');
    this.small = document.createElement('canvas');
    this.shift = [0, 0]; // by how much the picture has moved since the frame that the overlay belongs to
    this.misses = 0;
    this.video = html('video', { playsinline: true, 'aria-hidden': 'true' });
    this.video.muted = true;
    this.drawn = svg('g', {});
    this.overlay = svg('svg', { class: 'live-overlay', 'aria-hidden': 'true' }, this.drawn);
    this.says = html('p', { class: 'live-says', role: 'status' });
    this.element = html('div', { class: 'live panel photo' }, this.video, this.overlay, this.says);
  }

  /** Starts the camera. Throws a Refusal if it cannot be used. */
  async open() {
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: WANTED, audio: false });
    } catch (error) {
      throw new Refusal('camera', whyNot(error));
    }
    if (this.ending.signal.aborted) { // closed while the browser asked the person
      for (const track of stream.getTracks()) track.stop();
      return;
    }
    for (const track of stream.getTracks()) track.addEventListener('ended', () => this.#ended());
    this.stream = stream;
    this.video.srcObject = stream;
    await this.video.play();
    this.#say(t('Looking for the board…'));
    this.#follow();
    this.#looking();
  }

  /** Whether the camera has a lamp that can be switched. */
  get hasLamp() { return Boolean(this.stream?.getVideoTracks()[0].getCapabilities?.().torch); }

  /** Switches the lamp of the camera. */
  async shine(on) {
    await this.stream.getVideoTracks()[0].applyConstraints({ advanced: [{ torch: on }] });
  }

  /** The picture as it is now, as a JPEG in full size. Throws a Refusal if the camera gives none any more. */
  async take() {
    if (this.ending.signal.aborted) throw new Refusal('camera', STOPPED);
    return this.#jpeg(Infinity, PHOTO_QUALITY);
  }

  /** Another program took the camera, or the screen was locked. */
  #ended() {
    this.ending.abort();
    this.steady.forget();
    this.#draw();
    this.#say(STOPPED);
  }

  /** Ends it: the camera's own light goes out. */
  close() {
    this.ending.abort();
    cancelAnimationFrame(this.next);
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
  }

  async #jpeg(longSide, quality) {
    const { videoWidth: width, videoHeight: height } = this.video;
    const scale = Math.min(1, longSide / Math.max(width, height));
    Object.assign(this.frame, { width: Math.round(width * scale), height: Math.round(height * scale) });
    this.frame.getContext('2d').drawImage(this.video, 0, 0, this.frame.width, this.frame.height);
    return new Promise((done) => { this.frame.toBlob(done, 'image/jpeg', quality); });
  }

  #grey() { return greyOf(this.video, this.video.videoWidth, this.video.videoHeight, this.small); }

  async #looking() {
    const { signal } = this.ending;
    while (!signal.aborted) {
      const [seen, shift] = [this.#grey(), this.shift];
      const jpeg = await this.#jpeg(LOOK_SIDE, LOOK_QUALITY);
      const scale = this.video.videoWidth / this.frame.width;
      let rest = REST_MS;
      try {
        const reading = await this.look(jpeg, signal);
        if (signal.aborted) return;
        this.#read(enlarged(reading, scale), seen, shift);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Refusal)) throw error;
        this.#missed(error);
        if (error.status !== 422) rest = RETRY_MS;
      }
      await pause(rest);
    }
  }

  #read(reading, seen, shift) {
    this.misses = 0;
    this.steady.add(reading, shift);
    this.reference = seen;
    this.shift = [this.shift[0] - shift[0], this.shift[1] - shift[1]];
    const { steady } = this;
    const left = [...steady.cells.values()].filter((cell) => !cell.sure).length;
    if (!steady.isAgreed) this.#say(t('Hold still…'));
    else this.#say(left ? tn('%(n)s to check', '%(n)s to check', left) : t('All clear'));
    this.#draw();
  }

  #missed(error) {
    this.misses += 1;
    const isLost = error.status !== 422;
    if (this.misses >= MISSES || isLost) {
      this.steady.forget();
      this.#say(isLost || this.misses >= EXPLAIN ? error.message : t('Looking for the board…'));
    }
    this.#draw();
  }

  #say(text) {
    if (this.says.textContent !== text) this.says.textContent = text;
  }

  #draw() {
    const { videoWidth: width, videoHeight: height } = this.video;
    this.overlay.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const shapes = [...this.steady.cells.values()].map(this.shape);
    this.drawn.replaceChildren(...shapes.map(({ group }) => group), ...shapes.map(({ tag }) => tag));
    this.#place();
    this.element.classList.toggle('agreed', this.steady.isAgreed);
    this.element.classList.toggle('settled', this.steady.isSettled);
    this.onSeen(this.steady);
  }

  #place() { this.drawn.setAttribute('transform', `translate(${this.shift.map((value) => value.toFixed(1))})`); }

  /** Moves the overlay with the picture between two looks. */
  #follow() {
    let last = 0;
    const step = (now) => {
      this.next = requestAnimationFrame(step);
      if (now - last < FOLLOW_MS || !this.reference || !this.steady.outline) return;
      last = now;
      this.shift = movement(this.reference, this.#grey(), this.shift);
      this.#place();
    };
    this.next = requestAnimationFrame(step);
  }
}

/** A reading with its corners in pixels of a picture that is *scale* times as large. */
function enlarged(reading, scale) {
  const grown = (corners) => corners.map(([x, y]) => [(x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5]);
  return {
    ...reading,
    outline: grown(reading.outline),
    cells: reading.cells.map((cell) => ({ ...cell, quad: grown(cell.quad) })),
  };
}

function whyNot(error) {
  if (error.name === 'NotAllowedError') return t('The camera may not be used: allow it for this page in the settings of the browser, or take a photo.');
  if (error.name === 'NotFoundError') return t('No camera was found here: choose a photo instead.');
  return t('The camera does not start: another program may be using it. Take or choose a photo instead.');
}
