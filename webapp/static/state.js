// What lies on the table, as read and as corrected, with undo. A correction makes a new version, it edits none.

const SIDE = 3;

/**
 * One version: for each place of the board its label, whether a person need not look at it any more, and the number
 * of the cell of the reading that lies there (turning the board moves them).
 */
const version = (labels, checked, order) => Object.freeze({ labels, checked, order });

export class Table {
  /** @param reading what the server answered */
  constructor(reading) {
    this.cells = [...reading.cells].sort((a, b) => a.row - b.row || a.col - b.col);
    this.past = [];
    this.future = [];
    this.now = version(
      this.cells.map((cell) => cell.label), this.cells.map((cell) => cell.sure), this.cells.map((_, at) => at));
  }

  get text() {
    const { labels } = this.now;
    return [0, 3, 6].map((first) => labels.slice(first, first + SIDE).join(' ')).join(' / ');
  }

  /** What was read at a place of the board. */
  cell(at) { return this.cells[this.now.order[at]]; }

  /** Places that nobody has checked yet, least sure first. */
  get doubtful() {
    return this.now.labels.map((_, at) => at)
      .filter((at) => !this.now.checked[at])
      .sort((a, b) => this.cell(a).confidence - this.cell(b).confidence);
  }

  isDoubtful(at) { return !this.now.checked[at]; }

  /** A person says what lies at a place; saying the same again confirms it. */
  correct(at, label) {
    const { labels, checked, order } = this.now;
    if (labels[at] === label && checked[at]) return false;
    return this.#change(version(replaced(labels, at, label), replaced(checked, at, true), order));
  }

  /** A person says that all labels are right. */
  confirm() {
    const { labels, checked, order } = this.now;
    return this.#change(version(labels, checked.map((_, at) => labels[at] !== '.'), order));
  }

  /** A quarter turn clockwise: the photo was taken from another side than the players count from. */
  turn() {
    const from = this.now.labels.map((_, at) => (SIDE - 1 - (at % SIDE)) * SIDE + Math.floor(at / SIDE));
    const { labels, checked, order } = this.now;
    const turned = (list) => from.map((at) => list[at]);
    return this.#change(version(turned(labels), turned(checked), turned(order)));
  }

  undo() { return this.#step(this.past, this.future); }

  redo() { return this.#step(this.future, this.past); }

  #change(next) {
    this.past.push(this.now);
    this.future = [];
    this.now = next;
    return true;
  }

  #step(from, to) {
    if (!from.length) return false;
    to.push(this.now);
    this.now = from.pop();
    return true;
  }

  /** The best guesses for a place, its reading first: [label, probability]. */
  guesses(at, count) {
    const { label, confidence, alternatives } = this.cell(at);
    return [[label, confidence], ...alternatives].filter(([name]) => name !== '.').slice(0, count);
  }

  /** Everything needed to come back after a reload. */
  toJSON() { return { cells: this.cells, past: this.past, future: this.future, now: this.now }; }

  static from(saved) {
    const table = new Table({ cells: saved.cells });
    return Object.assign(table, { past: saved.past, future: saved.future, now: saved.now });
  }
}

const replaced = (list, at, value) => list.map((old, i) => (i === at ? value : old));
