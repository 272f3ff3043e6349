import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nextOn } from '../../../webapp/static/cells.js';

const GRID = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]];
const [UP, DOWN, LEFT, RIGHT] = [[-1, 0], [1, 0], [0, -1], [0, 1]];

test('arrow keys go to the neighbour and stop at the edge', () => {
  assert.deepEqual(GRID[nextOn(RIGHT, [0, 0], GRID)], [0, 1]);
  assert.deepEqual(GRID[nextOn(DOWN, [0, 1], GRID)], [1, 1]);
  assert.deepEqual(GRID[nextOn(LEFT, [1, 2], GRID)], [1, 1]);
  assert.equal(nextOn(UP, [0, 1], GRID), -1);
});

test('a gap is jumped over, and where nothing lies ahead the nearest aside is taken', () => {
  const sparse = [[-1, 1], [0, 0], [0, 3], [1, 2]];
  assert.deepEqual(sparse[nextOn(RIGHT, [0, 0], sparse)], [0, 3]);
  assert.deepEqual(sparse[nextOn(UP, [0, 0], sparse)], [-1, 1]);
  assert.deepEqual(sparse[nextOn(DOWN, [0, 3], sparse)], [1, 2]);
});
