// A board that is in use, laid over what was read of it: rows of words, and rows of cells with a `label`. Pure.

/** Rows of cells after a quarter turn clockwise. */
export const turned = (rows) => rows[0].map((_, c) => rows.map((row) => row[c]).reverse());

/** The first of some rows and the one after the last, without bare ones at both ends; all if all are bare. */
function within(rows) {
  const isHeld = (row) => row.some(({ label }) => label !== '.');
  return rows.some(isHeld) ? [rows.findIndex(isHeld), rows.findLastIndex(isHeld) + 1] : [0, rows.length];
}

/** The rows, or columns, that hold those *from* *to* of the reading and so many in use, from number *at* of the reading: [first, count]. */
function together([from, to], used, at) {
  const first = Math.min(from, at);
  return [first, Math.max(to, at + used) - first];
}

const numbers = (from, to) => Array.from({ length: to - from }, (_, at) => from + at);

/** Every way to lay words on cells, with the size of both: those turned by *turns* first, of them the first word on the first cell. */
function ways(read, words, turns) {
  return [0, 1, 2, 3].map((more) => (turns + more) % 4).flatMap((quarters) => {
    let cells = read;
    for (let turn = 0; turn < quarters; turn += 1) cells = turned(cells);
    const [rows, cols] = [within(cells), within(turned(cells))];
    return numbers(rows[0] + 1 - words.length, rows[1])
      .flatMap((down) => numbers(cols[0] + 1 - words[0].length, cols[1]).map((right) => ({
        turns: quarters, cells, down, right, rows: together(rows, words.length, down), cols: together(cols, words[0].length, right),
      })))
      .sort((one, other) => Math.abs(one.down) + Math.abs(one.right) - Math.abs(other.down) - Math.abs(other.right));
  });
}

/** What speaks for a way: pieces where one was read, and twice those that are as they were read. The most means fewest corrections. */
const likeness = ({ cells, down, right }, pieces) => pieces.reduce((sum, [row, col, word]) => {
  const label = cells[row + down]?.[col + right]?.label ?? '.';
  return sum + (label === word ? 2 : Number(label !== '.'));
}, 0);

/**
 * The cells of a board in use: so that fewest of them were corrected, and if several ways are as good, as *turns* says.
 * @param read rows of the cells that were read
 * @param words rows of the words of the board in use, whose shape may be another one
 * @param turns quarters by which it was turned when it was used
 * @param spec the most that a board may have: { rows: [, most], cols: [, most] }
 * @returns { turns, rows }: rows of [cell that was read or undefined, word], for all pieces that were read and all that is in use
 */
export function laidOver(read, words, turns, { rows: [, mostRows], cols: [, mostCols] }) {
  const pieces = words.flatMap((row, r) => row.map((word, c) => [r, c, word])).filter(([, , word]) => word !== '.');
  const fitting = ways(read, words, turns).filter(({ rows, cols }) => rows[1] <= mostRows && cols[1] <= mostCols)
    .map((way) => ({ ...way, like: likeness(way, pieces) }));
  const { turns: quarters, cells, down, right, rows: [top, height], cols: [left, width] } = fitting
    .reduce((best, way) => (way.like > best.like ? way : best));
  return {
    turns: quarters,
    rows: numbers(top, top + height).map((r) => numbers(left, left + width)
      .map((c) => [cells[r]?.[c], words[r - down]?.[c - right] ?? '.'])),
  };
}
