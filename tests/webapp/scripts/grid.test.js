import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Grid, guesses } from '../../../webapp/static/review/grid.js';

const STONES = { rows: [3, 3], cols: [3, 3], empty: false, labels: ['sun', 'moon', 'fish'] };
const OPEN = { rows: [1, 4], cols: [1, 4], empty: true, labels: ['spring', 'summer'] };
const TEXT = 'sun moon fish / fish sun moon / moon fish sun';

/** A reading of *text*; *doubts* are cells with their confidence. */
function read(spec, text, doubts = {}) {
  const cells = text.split(' / ').flatMap((line, row) => line.split(' ').map((label, col) => {
    const confidence = doubts[`${row},${col}`];
    return { row, col, label, sure: confidence === undefined, confidence: confidence ?? 0.99, alternatives: [['moon', 0.2], ['.', 0.1]] };
  }));
  return new Grid(spec, text, cells);
}

const at = (places) => places.map(([row, col]) => [row, col]);

test('the notation goes in and out', () => {
  assert.equal(read(STONES, TEXT).text, TEXT);
});

test('the least sure cell is asked first, and an answer settles it', () => {
  const grid = read(STONES, TEXT, { '0,1': 0.7, '2,2': 0.4 });
  assert.deepEqual(at(grid.doubtful), [[2, 2], [0, 1]]);
  assert.equal(grid.correct(2, 2, 'sun'), true); // the same again confirms it
  assert.equal(grid.correct(2, 2, 'sun'), false);
  assert.deepEqual(at(grid.doubtful), [[0, 1]]);
  assert.deepEqual(grid.corrections, []);
});

test('a correction is told with what was read', () => {
  const grid = read(STONES, TEXT);
  grid.correct(0, 0, 'moon');
  assert.deepEqual(grid.corrections, [[0, 0, 'sun', 'moon']]);
});

test('a correction and going back cancel', () => {
  const grid = read(STONES, TEXT, { '0,0': 0.5 });
  grid.correct(0, 0, 'fish');
  grid.turn();
  assert.equal(grid.undo(), true);
  assert.equal(grid.undo(), true);
  assert.equal(grid.undo(), false);
  assert.equal(grid.text, TEXT);
  assert.deepEqual(at(grid.doubtful), [[0, 0]]);
  grid.redo();
  assert.equal(grid.text, TEXT.replace('sun', 'fish'));
  grid.correct(0, 0, 'moon');
  assert.equal(grid.redo(), false); // what was undone is gone once something else is done
});

test('four quarter turns are none, and cells keep what was read of them', () => {
  const grid = read(STONES, TEXT);
  grid.turn();
  assert.equal(grid.text, 'moon fish sun / fish sun moon / sun moon fish');
  assert.deepEqual([grid.now[0][2].read.row, grid.now[0][2].read.col], [0, 0]);
  for (let turn = 0; turn < 3; turn += 1) grid.turn();
  assert.equal(grid.text, TEXT);
  assert.equal(grid.turns, 4);
});

test('empty rows and columns around an open board are left out, those within stay', () => {
  const grid = read(OPEN, 'spring . summer');
  for (const side of ['top', 'left', 'bottom']) grid.grow(side);
  assert.equal(grid.text, 'spring . summer');
  assert.equal(grid.mayGrowCols, false);
  grid.correct(0, 0, 'summer');
  assert.equal(grid.text, 'summer . . . / . spring . summer');
});

test('an open board may be turned only into a shape that is allowed', () => {
  assert.equal(read({ ...OPEN, cols: [3, 4] }, 'spring . summer').mayTurn, false);
  assert.equal(read(OPEN, 'spring . summer').mayTurn, true);
});

test('a board typed in is complete when no cell that needs a piece is empty', () => {
  const grid = Grid.blank(STONES);
  assert.equal(grid.doubtful.length, 9);
  assert.equal(grid.complete, false);
  grid.places.forEach(([row, col]) => { grid.correct(row, col, 'sun'); });
  assert.equal(grid.complete, true);
  assert.equal(Grid.blank(OPEN).complete, true);
});

test('a board used before is turned and corrected as it was then', () => {
  const grid = read(STONES, TEXT, { '0,0': 0.5 }).used({ text: 'moon fish fish / fish sun moon / sun moon fish', turns: 1 });
  assert.equal(grid.text, 'moon fish fish / fish sun moon / sun moon fish');
  assert.deepEqual(grid.corrections, [[0, 2, 'sun', 'fish']]);
  assert.equal(grid.undo(), false);
});

test('guesses begin with what was read', () => {
  const grid = read(STONES, TEXT);
  assert.deepEqual(guesses(grid.now[0][0], 2), [['sun', 0.99], ['moon', 0.2]]);
  assert.deepEqual(guesses(Grid.blank(STONES).now[0][0], 2), []);
});

test('a grid comes back as it was written', () => {
  const grid = read(STONES, TEXT, { '0,0': 0.5 });
  grid.correct(0, 0, 'fish');
  grid.turn();
  const again = Grid.from(JSON.parse(JSON.stringify(grid)));
  assert.equal(again.text, grid.text);
  again.undo();
  again.undo();
  assert.equal(again.text, TEXT);
  assert.deepEqual(at(again.doubtful), [[0, 0]]);
});

test('all are right does not settle a cell whose piece is missing', () => {
  const grid = read(STONES, TEXT.replace('sun', '.'), { '0,0': 0.5, '1,1': 0.5 });
  grid.confirm();
  assert.deepEqual(at(grid.doubtful), [[0, 0]]);
});
