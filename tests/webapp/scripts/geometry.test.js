import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf, boxAround, centreOf, within } from '../../../webapp/static/review/geometry.js';

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
