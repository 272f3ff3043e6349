// Holds what a moving camera reads still: the camera's small movements are followed between two readings, and
// several readings of the same board are taken together.

import { areaOf } from './geometry.js';

const WIDE = 96; // columns of the small grey picture in which movement is looked for
const REACH = 3; // its pixels by which the picture may move between two looks
const SAME = 0.12; // of a cell's size: how far apart the corners of two readings of one board may lie
const KEEP = 0.55; // share of what was there before when a newer reading is taken in
const AGREEING = 3; // readings that agree before one may rely on them

/** A small grey picture of *source*, which is *width* by *height* large. `scale`: its pixels per pixel of the source. */
export function greyOf(source, width, height, canvas) {
  const scale = WIDE / width;
  const [cols, rows] = [WIDE, Math.max(1, Math.round(height * scale))];
  if (canvas.width !== cols || canvas.height !== rows) Object.assign(canvas, { width: cols, height: rows });
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  pen.drawImage(source, 0, 0, cols, rows);
  const { data } = pen.getImageData(0, 0, cols, rows);
  const light = new Float32Array(cols * rows);
  for (let at = 0; at < light.length; at += 1) {
    light[at] = 0.3 * data[4 * at] + 0.59 * data[4 * at + 1] + 0.11 * data[4 * at + 2];
  }
  return { light, cols, rows, scale };
}

/** The mean difference of two grey pictures, of which *to* is moved by whole pixels; Infinity where they hardly meet. */
function difference(from, to, [dx, dy]) {
  const [left, right] = [Math.max(0, -dx), Math.min(from.cols, from.cols - dx)];
  const [top, bottom] = [Math.max(0, -dy), Math.min(from.rows, from.rows - dy)];
  if (right - left < from.cols / 3 || bottom - top < from.rows / 3) return Infinity;
  let sum = 0;
  for (let y = top; y < bottom; y += 1) {
    const [here, there] = [y * from.cols, (y + dy) * from.cols + dx];
    for (let x = left; x < right; x += 1) sum += Math.abs(from.light[here + x] - to.light[there + x]);
  }
  return sum / ((right - left) * (bottom - top));
}

/** Where the lowest point between three equally spaced values lies, in -0.5 to 0.5 of their distance. */
function lowest(before, at, after) {
  const bend = before - 2 * at + after;
  if (!(bend > 0) || !Number.isFinite(bend)) return 0;
  return Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend)));
}

/**
 * By how much the picture has moved from one grey picture to another, in pixels of the source.
 * @param guess the movement that is likely, in pixels of the source: it is looked for around it
 */
export function movement(from, to, guess = [0, 0]) {
  const [nearX, nearY] = guess.map((value) => Math.round(value * from.scale));
  let best = { move: [nearX, nearY], is: Infinity };
  for (let dy = nearY - REACH; dy <= nearY + REACH; dy += 1) {
    for (let dx = nearX - REACH; dx <= nearX + REACH; dx += 1) {
      const is = difference(from, to, [dx, dy]);
      if (is < best.is) best = { move: [dx, dy], is };
    }
  }
  const [x, y] = best.move;
  const fineX = lowest(difference(from, to, [x - 1, y]), best.is, difference(from, to, [x + 1, y]));
  const fineY = lowest(difference(from, to, [x, y - 1]), best.is, difference(from, to, [x, y + 1]));
  return [(x + fineX) / from.scale, (y + fineY) / from.scale];
}

const apart = ([x, y], [otherX, otherY]) => Math.hypot(x - otherX, y - otherY);

/** Several readings of one board taken together: corners are averaged, and what lies in a cell is voted on. */
export class Steady {
  constructor() { this.forget(); }

  forget() {
    this.cells = new Map(); // "row,col": { row, col, label, sure, quad, votes }
    this.outline = null;
    this.agreed = 0; // readings in a row that said the same
    this.text = '';
  }

  /** Whether enough readings said the same, with nothing to check. */
  get isSettled() { return this.agreed >= AGREEING && [...this.cells.values()].every((cell) => cell.sure); }

  /** Whether enough readings said the same; a cell may be doubtful in all of them. */
  get isAgreed() { return this.agreed >= AGREEING; }

  /**
   * Takes a reading in. Its corners must be in the pixels of the earlier ones: *moved* is by how much the picture moved
   * since the last one was taken in.
   */
  add(reading, moved = [0, 0]) {
    const along = ([x, y]) => [x + moved[0], y + moved[1]];
    const fresh = new Map(reading.cells.map((cell) => [`${cell.row},${cell.col}`, cell]));
    const before = this.outline?.map(along);
    const size = Math.sqrt(areaOf(reading.outline) / Math.max(1, fresh.size));
    const isSame = before && fresh.size === this.cells.size
      && before.every((corner, at) => apart(corner, reading.outline[at]) < SAME * size);
    if (!isSame) this.forget();
    const mixed = (old, now) => now.map((value, at) => old[at] * KEEP + value * (1 - KEEP));
    this.outline = isSame ? reading.outline.map((corner, at) => mixed(before[at], corner)) : reading.outline;
    for (const [key, cell] of fresh) {
      const old = this.cells.get(key);
      const votes = new Map([...old?.votes ?? []].map(([label, vote]) => [label, vote * KEEP]));
      votes.set(cell.label, (votes.get(cell.label) ?? 0) + cell.confidence);
      const [[label]] = [...votes].sort(([, one], [, other]) => other - one);
      this.cells.set(key, {
        row: cell.row,
        col: cell.col,
        label,
        sure: cell.sure && cell.label === label,
        quad: old ? cell.quad.map((corner, at) => mixed(along(old.quad[at]), corner)) : cell.quad,
        votes,
      });
    }
    this.agreed = isSame && reading.text === this.text ? this.agreed + 1 : 1;
    this.text = reading.text;
  }
}
