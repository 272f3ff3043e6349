import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf, boxAround, centreOf, leaning, quadAt, within } from '../../../webapp/static/review/geometry.js';

const SQUARE = [[2, 3], [6, 3], [6, 7], [2, 7]];

test('the area of a quad does not depend on the way around it', () => {
  assert.equal(areaOf(SQUARE), 16);
  assert.equal(areaOf([...SQUARE].reverse()), 16);
});

test('the centre is the mean of the corners', () => {
  assert.deepEqual(centreOf(SQUARE), [4, 5]);
});

test('a box grows by a share of its longer side on every side', () => {
  const wide = [[0, 0], [10, 0], [10, 4], [0, 4]];
  assert.deepEqual(boxAround([wide], 0.1), { x: -1, y: -1, width: 12, height: 6 });
  assert.deepEqual(boxAround([SQUARE, wide], 0), { x: 0, y: 0, width: 10, height: 7 });
});

test('what lies outside the picture is cut off', () => {
  assert.deepEqual(within({ x: -1, y: 2, width: 12, height: 6 }, { width: 9, height: 7 }), { x: 0, y: 2, width: 9, height: 5 });
});

const square = (x, y) => [[x, y], [x + 8, y], [x + 8, y + 8], [x, y + 8]];

test('a place beside those that were read lies a step further, and one that was read where it is', () => {
  const cells = [[0, 0], [0, 1], [1, 0]].map(([row, col]) => ({ row, col, quad: square(100 + 10 * col, 50 + 12 * row) }));
  assert.deepEqual(quadAt(cells, [0, 2]), square(120, 50));
  assert.deepEqual(quadAt(cells, [-1, 1]), square(110, 38));
  assert.deepEqual(quadAt(cells, [1, 0]), square(100, 62));
  assert.deepEqual(quadAt(cells.slice(0, 1), [1, 0]), square(100, 58)); // one alone: its own side is the step
});

test('a board leans as its cells do', () => {
  const [first, ...others] = square(0, 0);
  assert.equal(leaning([[first, ...others], square(20, 3)]), 0);
  assert.equal(leaning([[...others, first]]), 90);
});
