// A person shows where the grid is: four corners that can be dragged or moved with the arrow keys, with the grid
// that they make drawn between them.

import { svg } from '../draw.js';
import { t } from '../i18n.js';

const NAMES = () => [t('top left'), t('top right'), t('bottom right'), t('bottom left')];
const STEP = 1 / 100; // of the photo's longer side, for one press of an arrow key

export class Corners {
  /** @param view the SVG element to draw in */
  constructor(view) {
    this.view = view;
  }

  /**
   * Shows the photo with four corners to put into place, and a grid of *rows* and *cols* between them.
   * @param text where they were put before, as `text` gave it; nothing for a photo that is shown first
   */
  open(photo, rows, cols, text = '') {
    this.photo = photo;
    [this.rows, this.cols] = [rows, cols];
    const { width, height } = photo;
    const [x, y] = [width * 0.18, height * 0.18];
    this.corners = text ? text.split(' ').map((corner) => corner.split(',').map((value) => Number(value) + 0.5))
      : [[x, y], [width - x, y], [width - x, height - y], [x, height - y]];
    this.view.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.view.style.aspectRatio = `${width} / ${height}`;
    const size = Math.max(width, height);
    this.shape = svg('polygon', { class: 'aim-shape' });
    this.grid = svg('path', { class: 'aim-grid' });
    this.top = svg('polyline', { class: 'aim-top' });
    this.word = svg('text', { class: 'aim-word', 'font-size': size * 0.04 }, t('top'));
    this.handles = NAMES().map((_, at) => {
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
    this.view.replaceChildren(
      svg('image', { href: photo.url, width, height }), this.shape, this.grid, this.top, this.word, ...this.handles);
    this.#draw();
  }

  /** The corners for the server, clockwise from the grid's top left. */
  get text() {
    return this.corners.map(([x, y]) => `${(x - 0.5).toFixed(1)},${(y - 0.5).toFixed(1)}`).join(' ');
  }

  /** The next corner becomes the top left one. */
  turn() {
    this.corners.unshift(this.corners.pop());
    this.#draw();
  }

  /** Another number of rows and columns. */
  resize(rows, cols) {
    [this.rows, this.cols] = [rows, cols];
    this.#draw();
  }

  #onPhoto(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = point.matrixTransform(this.view.getScreenCTM().inverse());
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
    this.grid.setAttribute('d', gridPath(this.corners, this.rows, this.cols));
    this.top.setAttribute('points', `${first} ${second}`);
    this.word.setAttribute('x', (first[0] + second[0]) / 2);
    this.word.setAttribute('y', (first[1] + second[1]) / 2);
    this.handles.forEach((handle, at) => {
      handle.setAttribute('transform', `translate(${this.corners[at]})`);
      handle.setAttribute('aria-label', t('Corner %(name)s; arrow keys move it', { name: NAMES()[at] }));
    });
  }
}

/** The inner lines of a grid seen in perspective: straight lines stay straight, so two points a line are enough. */
function gridPath(corners, rows, cols) {
  const place = unitSquareTo(corners);
  if (!place) return '';
  const lines = [];
  for (let row = 1; row < rows; row += 1) lines.push([[0, row / rows], [1, row / rows]]);
  for (let col = 1; col < cols; col += 1) lines.push([[col / cols, 0], [col / cols, 1]]);
  return lines.map(([from, to]) => `M${place(...from)}L${place(...to)}`).join('');
}

/** The projective map of the unit square onto four corners (Heckbert 1989, section 2.2.3); null if they are crossed. */
function unitSquareTo([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
  const [dx1, dx2, dx3] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, dy3] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const low = dx1 * dy2 - dx2 * dy1;
  if (Math.abs(low) < 1e-9) return null;
  const g = (dx3 * dy2 - dx2 * dy3) / low;
  const h = (dx1 * dy3 - dx3 * dy1) / low;
  if (Math.min(1 + g, 1 + h, 1 + g + h) <= 0) return null;
  const [a, b, d, e] = [x1 - x0 + g * x1, x3 - x0 + h * x3, y1 - y0 + g * y1, y3 - y0 + h * y3];
  return (u, v) => {
    const w = g * u + h * v + 1;
    return [((a * u + b * v + x0) / w).toFixed(1), ((d * u + e * v + y0) / w).toFixed(1)];
  };
}
