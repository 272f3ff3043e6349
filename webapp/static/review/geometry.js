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
