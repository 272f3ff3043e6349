// A person shows where the stones are: four corners that can be dragged or moved with the arrow keys.

import { svg } from './draw.js';

const $ = (id) => document.getElementById(id);
const NAMES = ['top left', 'top right', 'bottom right', 'bottom left'];
const STEP = 1 / 100; // of the photo's longer side, for one press of an arrow key

export class Aim {
  constructor() {
    $('aim-turn').addEventListener('click', () => {
      this.corners.unshift(this.corners.pop());
      this.#draw();
    });
  }

  /** Shows the photo with four corners to put into place. */
  open(photo) {
    this.photo = photo;
    const { width, height } = photo;
    const [x, y] = [width * 0.18, height * 0.18];
    this.corners = [[x, y], [width - x, y], [width - x, height - y], [x, height - y]];
    const view = $('aim-view');
    view.setAttribute('viewBox', `0 0 ${width} ${height}`);
    view.style.aspectRatio = `${width} / ${height}`;
    const size = Math.max(width, height);
    this.shape = svg('polygon', { class: 'aim-shape' });
    this.top = svg('polyline', { class: 'aim-top' });
    this.word = svg('text', { class: 'aim-word', 'font-size': size * 0.04 }, 'top');
    this.handles = NAMES.map((_, at) => {
      const handle = svg('g', { class: 'aim-handle', tabindex: '0', role: 'button' },
        svg('circle', { r: size * 0.075, class: 'aim-touch' }),
        svg('circle', { r: size * 0.024, class: 'aim-dot' }));
      handle.addEventListener('pointerdown', (event) => {
        handle.setPointerCapture(event.pointerId);
        event.preventDefault();
        handle.focus({ preventScroll: true });
      });
      handle.addEventListener('pointermove', (event) => {
        if (handle.hasPointerCapture(event.pointerId)) this.#move(at, this.#onPhoto(event));
      });
      handle.addEventListener('keydown', (event) => this.#key(at, event));
      return handle;
    });
    view.replaceChildren(
      svg('image', { href: photo.url, width, height }), this.shape, this.top, this.word, ...this.handles);
    this.#draw();
  }

  /** The corners for the server, clockwise from the grid's top left. */
  get text() {
    return this.corners.map(([x, y]) => `${(x - 0.5).toFixed(1)},${(y - 0.5).toFixed(1)}`).join(' ');
  }

  #onPhoto(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = point.matrixTransform($('aim-view').getScreenCTM().inverse());
    return [x, y];
  }

  #move(at, [x, y]) {
    const { width, height } = this.photo;
    this.corners[at] = [Math.min(width, Math.max(0, x)), Math.min(height, Math.max(0, y))];
    this.#draw();
  }

  #key(at, event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const step = STEP * Math.max(this.photo.width, this.photo.height) * (event.shiftKey ? 5 : 1);
    const [x, y] = this.corners[at];
    this.#move(at, [x + way[0] * step, y + way[1] * step]);
  }

  #draw() {
    const [first, second] = this.corners;
    this.shape.setAttribute('points', this.corners.join(' '));
    this.top.setAttribute('points', `${first} ${second}`);
    this.word.setAttribute('x', (first[0] + second[0]) / 2);
    this.word.setAttribute('y', (first[1] + second[1]) / 2);
    this.handles.forEach((handle, at) => {
      handle.setAttribute('transform', `translate(${this.corners[at]})`);
      handle.setAttribute('aria-label', `Corner ${NAMES[at]}; arrow keys move it`);
    });
  }
}
