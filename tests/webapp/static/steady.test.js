import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movement, Steady } from '../../../webapp/static/review/steady.js';

const SIDE = 40;

/** A grey picture with one soft light at (x, y). */
function picture(x, y) {
  const light = Float32Array.from({ length: SIDE * SIDE }, (_, at) =>
    200 * Math.exp(-(((at % SIDE) - x) ** 2 + (Math.floor(at / SIDE) - y) ** 2) / 40));
  return { light, cols: SIDE, rows: SIDE, scale: 0.5 };
}

const square = (x, y, side) => [[x, y], [x + side, y], [x + side, y + side], [x, y + side]];
const seen = (label, x = 0, sure = true) => ({
  text: label, outline: square(x, 0, 100), cells: [{ row: 0, col: 0, label, sure, confidence: 0.9, quad: square(x, 0, 100) }],
});

test('a movement is found to a fraction of a pixel', () => {
  const [x, y] = movement(picture(20, 20), picture(21.4, 18.8));
  assert.ok(Math.abs(x - 2.8) < 0.2, `x is ${x}`);
  assert.ok(Math.abs(y + 2.4) < 0.2, `y is ${y}`);
});

test('three readings that agree settle a board', () => {
  const steady = new Steady();
  for (const settled of [false, false, true]) {
    steady.add(seen('sun'));
    assert.equal(steady.isSettled, settled);
  }
});

test('a doubtful cell keeps a board from being settled, not from being agreed on', () => {
  const steady = new Steady();
  for (let look = 0; look < 3; look += 1) steady.add(seen('sun', 0, false));
  assert.deepEqual([steady.isAgreed, steady.isSettled], [true, false]);
});

test('one other answer does not outvote three', () => {
  const steady = new Steady();
  for (const label of ['sun', 'sun', 'sun', 'moon']) steady.add(seen(label));
  const [cell] = steady.cells.values();
  assert.equal(cell.label, 'sun');
  assert.equal(cell.sure, false);
});

test('another board begins anew; one that moved with the picture goes on', () => {
  const steady = new Steady();
  steady.add(seen('sun'));
  steady.add(seen('sun', 50), [50, 0]);
  assert.equal(steady.agreed, 2);
  steady.add(seen('sun', 0));
  assert.equal(steady.agreed, 1);
});
