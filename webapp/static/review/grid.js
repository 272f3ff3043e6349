// A board as read and as corrected, of any shape, with undo. A correction makes a new version, it edits none.

/** One cell: its label, whether a person need not look at it any more, and its cell of the reading (null: none). */
const cellOf = (label, checked, read) => Object.freeze({ label, checked, read });

export class Grid {
  /**
   * @param spec shape and labels: { rows: [least, most], cols, empty, labels }
   * @param text the board in notation
   * @param cells what was read of it, with places, doubts and quads; none for a board typed in
   */
  constructor(spec, text, cells = []) {
    this.spec = spec;
    const read = new Map(cells.map((cell) => [`${cell.row},${cell.col}`, cell]));
    this.now = text.split(' / ').map((row, r) => row.trim().split(/\s+/).map((label, c) => {
      const cell = read.get(`${r},${c}`) ?? null;
      return cellOf(label, cell ? cell.sure : true, cell);
    }));
    this.past = [];
    this.future = [];
    this.turns = 0;
  }

  /** The same reading as it was used before: turned, and with the labels of *text* where its shape is still the same. */
  used({ text, turns }) {
    for (let turn = 0; turn < turns % 4; turn += 1) this.turn();
    const rows = text.split(' / ').map((row) => row.split(' '));
    if (rows.length === this.rows && rows.every((row) => row.length === this.cols)) {
      this.now = this.now.map((row, r) => row.map((cell, c) => (rows[r][c] === cell.label ? cell
        : cellOf(rows[r][c], true, cell.read))));
    }
    this.past = [];
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
    return this.#change(this.now.map((cells, r) => (r !== row ? cells
      : cells.map((old, c) => (c === col ? cellOf(label, true, old.read) : old)))));
  }

  /** A person says that all labels are right; a cell that needs a piece and has none is asked about further. */
  confirm() {
    const mayBe = (label) => this.spec.empty || label !== '.';
    return this.#change(this.now.map((row) => row.map((cell) => cellOf(cell.label, mayBe(cell.label), cell.read))));
  }

  /** A quarter turn clockwise: the photo was taken from another side than the players count from. */
  turn() {
    return this.#change(this.now[0].map((_, c) => this.now.map((row) => row[c]).reverse()), this.turns + 1);
  }

  get mayTurn() {
    const within = (n, [least, most]) => n >= least && n <= most;
    return within(this.cols, this.spec.rows) && within(this.rows, this.spec.cols);
  }

  get mayGrowRows() { return this.rows < this.spec.rows[1]; }

  get mayGrowCols() { return this.cols < this.spec.cols[1]; }

  /** Another row or column on a side: 'top', 'right', 'bottom' or 'left'. */
  grow(side) {
    const fresh = () => cellOf('.', this.spec.empty, null);
    if (side === 'top' || side === 'bottom') {
      const row = this.now[0].map(fresh);
      return this.#change(side === 'top' ? [row, ...this.now] : [...this.now, row]);
    }
    return this.#change(this.now.map((row) => (side === 'left' ? [fresh(), ...row] : [...row, fresh()])));
  }

  undo() { return this.#step(this.past, this.future); }

  redo() { return this.#step(this.future, this.past); }

  #change(next, turns = this.turns) {
    this.past.push([this.now, this.turns]);
    this.future = [];
    [this.now, this.turns] = [next, turns];
    return true;
  }

  #step(from, to) {
    if (!from.length) return false;
    to.push([this.now, this.turns]);
    [this.now, this.turns] = from.pop();
    return true;
  }
}

/** The best guesses for a cell, its reading first: [label, probability]. */
export const guesses = (cell, count) => (cell.read
  ? [[cell.read.label, cell.read.confidence], ...cell.read.alternatives].slice(0, count) : []);
