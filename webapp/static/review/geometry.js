// Quads on a photo: four corners [x, y] in its pixels, clockwise. Pure: nothing here touches the page.

/** The area that corners enclose, in square pixels. */
export function areaOf(corners) {
  return Math.abs(corners.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = corners[(at + 1) % corners.length];
    return sum + x * nextY - nextX * y;
  }, 0)) / 2;
}

/** The mean of the corners. */
export const centreOf = (quad) => [0, 1].map((axis) => quad.reduce((sum, corner) => sum + corner[axis], 0) / quad.length);

/** The upright rectangle around quads, grown by a share of its longer side. */
export function boxAround(quads, margin) {
  const xs = quads.flat().map(([x]) => x);
  const ys = quads.flat().map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - x, Math.max(...ys) - y];
  const grow = Math.max(width, height) * margin;
  return { x: x - grow, y: y - grow, width: width + 2 * grow, height: height + 2 * grow };
}

/** The part of a box that lies within a picture of *width* and *height*. */
export function within(box, { width, height }) {
  const [x, y] = [Math.max(0, box.x), Math.max(0, box.y)];
  return { x, y, width: Math.min(width, box.x + box.width) - x, height: Math.min(height, box.y + box.height) - y };
}

const mean = (vectors) => [0, 1].map((axis) => vectors.reduce((sum, vector) => sum + vector[axis], 0) / vectors.length);
const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];

/** By how many degrees clockwise a board lies turned on its photo; *quads* begin with each cell's own top left. */
export function leaning(quads) {
  const [x, y] = mean(quads.map((quad) => minus(quad[1], quad[0])));
  return Math.atan2(y, x) * 180 / Math.PI;
}

/** Where a place, [row, col], lies on the photo of a reading's cells, of which it may be none: as the nearest cell, moved by steps as between cells. */
export function quadAt(cells, [row, col]) {
  const far = (cell) => Math.abs(cell.row - row) + Math.abs(cell.col - col);
  const nearest = cells.reduce((best, cell) => (far(cell) < far(best) ? cell : best));
  const step = (down, right, corner) => {
    const pairs = cells.flatMap((cell) => cells.filter((other) => other.row === cell.row + down && other.col === cell.col + right)
      .map((other) => minus(centreOf(other.quad), centreOf(cell.quad))));
    return mean(pairs.length ? pairs : [minus(nearest.quad[corner], nearest.quad[0])]);
  };
  const [down, right] = [step(1, 0, 3), step(0, 1, 1)];
  const [rows, cols] = [row - nearest.row, col - nearest.col];
  return nearest.quad.map(([x, y]) => [x + rows * down[0] + cols * right[0], y + rows * down[1] + cols * right[1]]);
}
