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
  grid.correct(0, 0, 'summer');
  assert.deepEqual([grid.mayGrow('left'), grid.mayGrow('right')], [false, false]);
  assert.equal(grid.text, 'summer . . . / . spring . summer');
});

test('a board at its largest is moved to a bare side, and nothing else is asked about its place', () => {
  const grid = asked({ ...OPEN, rows: [2, 2], cols: [3, 3] }, 'spring . summer / . . .', doubt('extent'));
  assert.deepEqual(['top', 'bottom', 'left', 'right'].map((side) => grid.mayGrow(side)), [true, false, false, false]);
  assert.equal(grid.mayLieElsewhere, true);
  grid.grow('top');
  assert.deepEqual([grid.text, grid.questions], ['. . . / spring . summer', []]);
  grid.grow('bottom');
  assert.equal(grid.text, 'spring . summer / . . .');
  grid.correct(1, 0, 'spring');
  assert.deepEqual([grid.mayGrow('top'), grid.mayLieElsewhere], [false, false]);
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

test('a board used in another shape keeps its corrections, each on its cell of the photo', () => {
  const used = 'spring . / . summer';
  const readAt = (grid, row, col) => [grid.now[row][col].read?.row, grid.now[row][col].read?.col];

  let grid = read(OPEN, 'summer summer / summer . / . summer').used({ text: used, turns: 0 }); // the first row was misread and cleared
  assert.equal(grid.text, used);
  assert.deepEqual(grid.corrections, [[0, 0, 'summer', '.'], [0, 1, 'summer', '.'], [1, 0, 'summer', 'spring']]);
  assert.deepEqual(readAt(grid, 2, 1), [2, 1]);

  grid = read(OPEN, '. / summer').used({ text: used, turns: 0 }); // a column was added on the left
  assert.equal(grid.text, used);
  assert.deepEqual(readAt(grid, 1, 1), [1, 0]);
  assert.equal(grid.now[0][0].read, null);

  grid = read(OPEN, 'summer spring . / summer . summer').used({ text: 'summer . / . spring', turns: 2 }); // turned, and its last column cleared
  assert.equal(grid.turns, 2);
  assert.deepEqual(grid.corrections, [[0, 2, 'summer', '.'], [1, 2, 'summer', '.']]);

  grid = read({ ...OPEN, rows: [2, 2], cols: [3, 3] }, 'spring . summer / . . .').used({ text: '. . . / spring . spring', turns: 0 }); // moved to the other side
  assert.deepEqual([grid.turns, grid.corrections, readAt(grid, 1, 0)], [0, [[1, 2, 'summer', 'spring']], [0, 0]]);

  grid = read(OPEN, 'summer spring spring').used({ text: 'summer / spring / spring', turns: 0 }); // the game turned it
  assert.equal(grid.turns, 1);
  assert.deepEqual(grid.corrections, []);
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

/** A doubt of a reading. */
const doubt = (kind, cells = [], options = []) => ({ kind, question: `${kind}?`, cells, options, probability: 0.4 });

/** A reading of *text* with doubts; cells of a `cell` doubt are not sure. */
function asked(spec, text, ...doubts) {
  const unsure = doubts.filter(({ kind }) => kind === 'cell').flatMap(({ cells }) => cells).map((place) => [String(place), 0.6]);
  const { now } = read(spec, text, Object.fromEntries(unsure));
  return new Grid(spec, text, now.flat().map((cell) => cell.read), doubts);
}

const PAIR = doubt('cell', [[0, 2], [2, 1]], [['fish', 0.6], ['moon', 0.4]]);
const DIRECTION = doubt('direction', [], [[0, 0.6], [1, 0.2], [2, 0.1], [3, 0.1]]);
const EDGE = doubt('extent', [[-1, 2]], [['nothing', 0.6], ['piece', 0.4]]);
const kinds = (grid) => grid.questions.map(({ kind }) => kind);

test('one answer settles all cells of its question, and each may be corrected afterwards', () => {
  const grid = asked(STONES, TEXT, PAIR);
  const [one] = grid.questions;
  assert.deepEqual([one.places, grid.choices(one)], [[[0, 2], [2, 1]], ['fish', 'moon']]);
  grid.answer(one, 'moon');
  assert.equal(grid.text, 'sun moon moon / fish sun moon / moon moon sun');
  assert.deepEqual([grid.doubtful, grid.questions], [[], []]);
  assert.deepEqual(grid.answers, [{ kind: 'cell', question: 'cell?', cells: [[0, 2], [2, 1]], answer: 'moon' }]);
  grid.correct(2, 1, 'fish');
  assert.equal(grid.text, 'sun moon moon / fish sun moon / moon fish sun');
  grid.undo();
  grid.undo();
  assert.deepEqual([grid.text, grid.questions.length, grid.answers], [TEXT, 1, []]);
});

test('a question asks only about cells that are still in doubt, and a doubt of no question is one', () => {
  const grid = asked(STONES, TEXT, PAIR);
  grid.correct(0, 2, 'fish');
  assert.deepEqual(grid.questions[0].places, [[2, 1]]);
  grid.correct(2, 1, 'fish');
  assert.deepEqual(grid.questions, []);
  assert.deepEqual(read(STONES, TEXT, { '1,1': 0.5 }).questions.map(({ places }) => places), [[[1, 1]]]);
});

test('a direction turns the whole reading by its quarters, and the other questions with it', () => {
  const grid = asked(STONES, TEXT, DIRECTION, PAIR);
  grid.answer(grid.questions[0], 3);
  assert.equal(grid.text, 'fish moon sun / moon sun fish / sun fish moon');
  assert.equal(grid.turns, 3);
  const [one] = grid.questions;
  assert.deepEqual(one.places, [[0, 0], [1, 2]]);
  grid.answer(one, 'sun');
  assert.equal(grid.text, 'sun moon sun / moon sun sun / sun fish moon');
  grid.undo();
  grid.undo();
  assert.deepEqual([grid.text, grid.turns, kinds(grid)], [TEXT, 0, ['direction', 'cell']]);
  grid.turn(); // by hand
  assert.deepEqual(kinds(grid), ['cell']);
});

test('a piece beside the board makes it larger, wherever the board is turned', () => {
  const grid = asked(OPEN, 'spring . summer', DIRECTION, EDGE);
  grid.answer(grid.questions[0], 1);
  const [one] = grid.questions;
  assert.deepEqual([one.places, grid.mayHold(one.places[0])], [[[2, 1]], true]);
  grid.answer(one, 'piece', 'summer');
  assert.equal(grid.text, 'spring . / . . / summer summer');
  assert.deepEqual(grid.questions, []);
  grid.undo();
  grid.answer(grid.questions[0], 'nothing');
  assert.equal(grid.text, 'spring / . / summer');
  assert.equal(asked(STONES, TEXT, EDGE).mayHold([-1, 2]), false);
});

test('a piece that was read where nothing lies is taken away', () => {
  const held = () => asked(OPEN, 'spring . summer', doubt('extent', [[0, 2]]));
  const grid = held();
  assert.deepEqual(grid.doubtful, []); // the place is asked about, its cell is not marked
  grid.answer(grid.questions[0], 'nothing');
  assert.equal(grid.text, 'spring');
  const other = held();
  other.answer(other.questions[0], 'piece');
  assert.deepEqual([other.text, other.questions], ['spring . summer', []]);
});

test('all are right answers every question, and another row one about the end of the board', () => {
  const grid = asked(OPEN, 'spring . summer', doubt('set'), doubt('extent'), DIRECTION);
  grid.grow('top');
  assert.deepEqual(kinds(grid), ['set', 'direction']);
  grid.confirm();
  assert.deepEqual(grid.questions, []);
  assert.deepEqual(grid.answers.map(({ kind, answer }) => [kind, answer]), [['set', 'right'], ['direction', 'right']]);
});

test('a board used before asks again about its cells alone', () => {
  const grid = asked(STONES, TEXT, DIRECTION, PAIR).used({ text: TEXT, turns: 0 });
  assert.deepEqual(kinds(grid), ['cell']);
});
