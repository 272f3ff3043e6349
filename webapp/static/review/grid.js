// A board as read and as corrected, of any shape, with undo. A correction makes a new version, it edits none.

import { laidOver, turned } from './laying.js';

/** One cell: its label, whether a person need not look at it any more, and its cell of the reading (null: none). */
const cellOf = (label, checked, read) => Object.freeze({ label, checked, read });

/** Rows of cells in which a person says what lies at some places, [row, col] each. */
const relabelled = (rows, places, label) => rows.map((row, r) => row.map((cell, c) => (
  places.some(([atRow, atCol]) => atRow === r && atCol === c) ? cellOf(label, true, cell.read) : cell)));

const OPPOSITE = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' };

const isUpright = (side) => side === 'top' || side === 'bottom';

const isBare = (cells) => cells.every(({ label }) => label === '.');

/** The rows without the outermost row or column on a side. */
function without(rows, side) {
  if (isUpright(side)) return side === 'top' ? rows.slice(1) : rows.slice(0, -1);
  return rows.map((row) => (side === 'left' ? row.slice(1) : row.slice(0, -1)));
}

/** How many rows or columns are missing to hold number *at* of *count*. */
const beyond = (at, count) => Math.max(0, -at, at - count + 1);

export class Grid {
  /**
   * @param spec shape and labels: { rows: [least, most], cols, empty, labels }
   * @param text the board in notation
   * @param cells what was read of it, with places and quads; none for a board typed in
   * @param doubts the questions of the reading, their cells as places of the reading
   */
  constructor(spec, text, cells = [], doubts = []) {
    this.spec = spec;
    const read = new Map(cells.map((cell) => [`${cell.row},${cell.col}`, cell]));
    this.now = text.split(' / ').map((row, r) => row.trim().split(/\s+/).map((label, c) => {
      const cell = read.get(`${r},${c}`) ?? null;
      return cellOf(label, cell ? cell.sure : true, cell);
    }));
    this.past = [];
    this.future = [];
    this.turns = 0;
    this.doubts = doubts; // those that are not answered
    this.answers = []; // to questions: { kind, question, cells, answer }
  }

  /** The same reading with the labels of its board in use, *text*, turned by *turns* quarters. Only cells are asked about again. */
  used({ text, turns }) {
    this.doubts = this.doubts.filter(({ kind }) => kind === 'cell');
    const laid = laidOver(this.now, text.split(' / ').map((row) => row.split(' ')), turns, this.spec);
    this.turns = laid.turns;
    this.now = laid.rows.map((row) => row.map(([cell = this.#fresh(), label]) => (
      label === cell.label ? cell : cellOf(label, true, cell.read))));
    return this;
  }

  /** A board to be typed in: its least shape, nothing known. */
  static blank(spec, rows = spec.rows[0], cols = spec.cols[0]) {
    const grid = new Grid(spec, Array.from({ length: rows }, () => Array(cols).fill('.').join(' ')).join(' / '));
    if (!spec.empty) grid.now = grid.now.map((row) => row.map((cell) => cellOf(cell.label, false, null)));
    return grid;
  }

  /** The board that another grid was written as: `JSON.parse(JSON.stringify(grid))`. */
  static from({ spec, ...saved }) { return Object.assign(new Grid(spec, '.'), saved); }

  get rows() { return this.now.length; }

  get cols() { return this.now[0].length; }

  /** Every place with its cell, row by row: [row, col, cell]. */
  get places() { return this.now.flatMap((row, r) => row.map((cell, c) => [r, c, cell])); }

  /** The places to look at, least sure first. */
  get doubtful() {
    return this.places.filter(([, , cell]) => !cell.checked)
      .sort(([, , a], [, , b]) => (a.read?.confidence ?? 0) - (b.read?.confidence ?? 0));
  }

  /** The questions that are left, those of the reading first: its { kind, question, cells, options }, and `places`: its cells on the board as it is now. */
  get questions() {
    const named = this.doubts.map((doubt) => ({ ...doubt, doubt, places: doubt.cells.map((cell) => this.#placeNow(cell)) }))
      .map((one) => (one.kind === 'cell' ? { ...one, places: one.places.filter(([row, col]) => this.now[row]?.[col]?.checked === false) } : one))
      .filter(({ kind, places }) => kind !== 'cell' || places.length);
    const isNamed = ([row, col]) => named.some(({ kind, places }) => kind === 'cell' && places.some(([r, c]) => r === row && c === col));
    return [...named, ...this.doubtful.filter((place) => !isNamed(place))
      .map(([row, col]) => ({ kind: 'cell', question: null, cells: [], options: [], places: [[row, col]] }))];
  }

  /** What the cells of a question may be, what was read first. */
  choices({ places, options }) {
    const cells = places.map(([row, col]) => this.now[row][col]);
    const labels = [...cells.map((cell) => cell.label), ...options.map(([label]) => label), ...guesses(cells[0], Infinity).map(([label]) => label)];
    return [...new Set(labels)].filter((label) => label !== '.' || this.spec.empty);
  }

  /** The board in notation; empty rows and columns that a person added around it are left out. */
  get text() {
    const { empty, rows: [leastRows], cols: [leastCols] } = this.spec;
    let lines = this.now.map((row) => row.map((cell) => cell.label));
    const blank = (labels) => labels.every((label) => label === '.');
    const flipped = (grid) => grid[0].map((_, c) => grid.map((row) => row[c]));
    const trimmed = (grid, least) => {
      const left = [...grid];
      while (left.length > least && blank(left.at(-1))) left.pop();
      while (left.length > least && blank(left[0])) left.shift();
      return left;
    };
    if (empty) lines = flipped(trimmed(flipped(trimmed(lines, leastRows)), leastCols));
    return lines.map((row) => row.join(' ')).join(' / ');
  }

  /** What a person changed: [row, col, from, to] for each cell that is not as it was read. */
  get corrections() {
    return this.places
      .filter(([, , cell]) => (cell.read ? cell.read.label : '.') !== cell.label)
      .map(([row, col, cell]) => [row, col, cell.read ? cell.read.label : '.', cell.label]);
  }

  /** Whether nothing is missing: a cell that may not be empty has a piece. */
  get complete() { return this.spec.empty || this.places.every(([, , cell]) => cell.label !== '.'); }

  /** A person says what lies at a place; saying the same again confirms it. */
  correct(row, col, label) {
    const cell = this.now[row][col];
    if (cell.label === label && cell.checked) return false;
    return this.#change({ now: relabelled(this.now, [[row, col]], label) });
  }

  /**
   * A person answers a question, for all its cells.
   * @param value a label, a number of quarters clockwise, 'piece', 'nothing' or 'yes'
   * @param label the piece that was missed, if one was
   */
  answer(one, value, label = null) {
    let { now, turns } = this;
    if (one.kind === 'cell') now = relabelled(now, one.places, value);
    if (one.kind === 'direction') {
      for (; (turns - value) % 4 !== 0; turns += 1) now = turned(now);
    }
    if (value === 'nothing') now = relabelled(now, one.places, '.');
    if (label) now = this.#with(one.places[0], label);
    return this.#change({ now, turns, doubts: this.doubts.filter((doubt) => doubt !== one.doubt), answers: [...this.answers, answered(one, value)] });
  }

  /** A person says that all is right as it was read; a cell that needs a piece and has none is asked about further. */
  confirm() {
    const mayBe = (label) => this.spec.empty || label !== '.';
    return this.#change({
      now: this.now.map((row) => row.map((cell) => cellOf(cell.label, cell.checked || mayBe(cell.label), cell.read))),
      doubts: this.doubts.filter(({ kind }) => kind === 'cell'),
      answers: [...this.answers, ...this.questions.map((one) => answered(one, 'right'))],
    });
  }

  /** A quarter turn clockwise: the photo was taken from another side than the players count from. */
  turn() {
    return this.#change({ now: turned(this.now), turns: this.turns + 1, doubts: this.doubts.filter(({ kind }) => kind !== 'direction') });
  }

  get mayTurn() {
    const within = (n, [least, most]) => n >= least && n <= most;
    return within(this.cols, this.spec.rows) && within(this.rows, this.spec.cols);
  }

  /** Whether another row or column fits on a side: 'top', 'right', 'bottom' or 'left'. On a board at its largest a bare one on the other side makes room. */
  mayGrow(side) {
    return this.#hasRoom(side) || (this.spec.empty && !isBare(this.now.flat()) && isBare(this.#border(OPPOSITE[side])));
  }

  /** Whether a board may have one more row or column, at a side or at the other. */
  #hasRoom(side) { return isUpright(side) ? this.rows < this.spec.rows[1] : this.cols < this.spec.cols[1]; }

  /** Whether nothing tells where on the board its pieces lie: it cannot be smaller than it is, and a border is bare. */
  get mayLieElsewhere() {
    return Object.entries(OPPOSITE).some(([side, other]) => this.mayGrow(side) && isBare(this.#border(other))
      && (isUpright(side) ? this.rows <= this.spec.rows[0] : this.cols <= this.spec.cols[0]));
  }

  /** The cells of the outermost row or column on a side. */
  #border(side) {
    if (isUpright(side)) return this.now.at(side === 'top' ? 0 : -1);
    return this.now.map((row) => row.at(side === 'left' ? 0 : -1));
  }

  /** Whether the board may become large enough to hold a place beside it. */
  mayHold([row, col]) {
    return this.rows + beyond(row, this.rows) <= this.spec.rows[1] && this.cols + beyond(col, this.cols) <= this.spec.cols[1];
  }

  /** A cell of which nothing was read. */
  #fresh() { return cellOf('.', this.spec.empty, null); }

  /** Another row or column on a side; a board at its largest gives up the one on the other side. */
  grow(side) {
    const isOpenEnd = ({ kind, cells }) => kind === 'extent' && !cells.length;
    const kept = this.#hasRoom(side) ? this.now : without(this.now, OPPOSITE[side]);
    return this.#change({ now: this.#grown(kept, side), doubts: this.doubts.filter((doubt) => !isOpenEnd(doubt)) });
  }

  #grown(rows, side) {
    const fresh = () => this.#fresh();
    if (isUpright(side)) {
      const row = rows[0].map(fresh);
      return side === 'top' ? [row, ...rows] : [...rows, row];
    }
    return rows.map((row) => (side === 'left' ? [fresh(), ...row] : [...row, fresh()]));
  }

  /** The rows with a piece at a place that may lie beside them. */
  #with([row, col], label) {
    let { now } = this;
    for (let n = beyond(row, this.rows); n; n -= 1) now = this.#grown(now, row < 0 ? 'top' : 'bottom');
    for (let n = beyond(col, this.cols); n; n -= 1) now = this.#grown(now, col < 0 ? 'left' : 'right');
    return relabelled(now, [[Math.max(0, row), Math.max(0, col)]], label);
  }

  /** Where a place of the reading is now; it may lie beside the board. */
  #placeNow([row, col]) {
    const [r, c, { read }] = this.places.find(([, , cell]) => cell.read);
    let [down, right] = [row - read.row, col - read.col];
    for (let turn = 0; turn < this.turns % 4; turn += 1) [down, right] = [right, -down];
    return [r + down, c + right];
  }

  undo() { return this.#step(this.past, this.future); }

  redo() { return this.#step(this.future, this.past); }

  get #state() {
    const { now, turns, doubts, answers } = this;
    return { now, turns, doubts, answers };
  }

  #change(next) {
    this.past.push(this.#state);
    this.future = [];
    Object.assign(this, next);
    return true;
  }

  #step(from, to) {
    if (!from.length) return false;
    to.push(this.#state);
    Object.assign(this, from.pop());
    return true;
  }
}

const answered = ({ kind, question, cells, places }, answer) => ({ kind, question, cells: cells.length ? cells : places, answer });

/** The best guesses for a cell, its reading first: [label, probability]. */
export const guesses = (cell, count) => (cell.read
  ? [[cell.read.label, cell.read.confidence], ...cell.read.alternatives].slice(0, count) : []);
