// What lies on the table, as read and as corrected, with undo. A correction makes a new version, it edits none.

/** One version: nine labels, and which doubtful cells a person has looked at. */
const version = (labels, checked) => Object.freeze({ labels: Object.freeze(labels), checked: Object.freeze(checked) });

export class Table {
  /** @param reading what the server answered */
  constructor(reading) {
    this.cells = [...reading.cells].sort(inOrder);
    this.past = [];
    this.future = [];
    this.now = version(this.cells.map((cell) => cell.label), this.cells.map((cell) => cell.sure));
  }

  get text() {
    const { labels } = this.now;
    return [0, 3, 6].map((first) => labels.slice(first, first + 3).join(' ')).join(' / ');
  }

  /** Numbers of the cells that nobody has checked yet, least sure first. */
  get doubtful() {
    return this.cells.map((_, at) => at)
      .filter((at) => !this.now.checked[at])
      .sort((a, b) => this.cells[a].confidence - this.cells[b].confidence);
  }

  isDoubtful(at) { return !this.now.checked[at]; }

  /** A person says what lies on a cell; saying the same again confirms it. */
  correct(at, label) {
    const { labels, checked } = this.now;
    if (labels[at] === label && checked[at]) return false;
    this.past.push(this.now);
    this.future = [];
    this.now = version(replaced(labels, at, label), replaced(checked, at, true));
    return true;
  }

  undo() { return this.#step(this.past, this.future); }

  redo() { return this.#step(this.future, this.past); }

  #step(from, to) {
    if (!from.length) return false;
    to.push(this.now);
    this.now = from.pop();
    return true;
  }

  /** The best guesses for a cell, its reading first: [label, probability]. */
  guesses(at, count) {
    const { label, confidence, alternatives } = this.cells[at];
    return [[label, confidence], ...alternatives].filter(([name]) => name !== '.').slice(0, count);
  }

  /** Everything needed to come back after a reload. */
  toJSON() { return { cells: this.cells, past: this.past, future: this.future, now: this.now }; }

  static from(saved) {
    const table = new Table({ cells: saved.cells });
    return Object.assign(table, { past: saved.past, future: saved.future, now: saved.now });
  }
}

const inOrder = (a, b) => a.row - b.row || a.col - b.col;

const replaced = (list, at, value) => list.map((old, i) => (i === at ? value : old));
