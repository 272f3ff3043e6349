// Grids whose cells are buttons: one tab stop each, and arrow keys that go from cell to cell.

const WAYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const ASIDE = 100; // a cell straight ahead is nearer than any aside

/** The index of the place, [row, col] each, that lies next on the *way* from a place; -1 if none does. */
export function nextOn(way, [row, col], places) {
  const steps = places.map(([r, c]) => {
    const [down, right] = [r - row, c - col];
    const ahead = down * way[0] + right * way[1];
    return ahead > 0 ? ahead + ASIDE * Math.abs(down * way[1] + right * way[0]) : Infinity;
  });
  const least = Math.min(...steps);
  return least < Infinity ? steps.indexOf(least) : -1;
}

const cellsOf = (holder) => [...holder.querySelectorAll('[data-cell]:not(:disabled)')];

function stopAt(holder, cell) {
  holder.dataset.stop = cell.dataset.cell;
  for (const one of holder.querySelectorAll('[data-cell]')) one.setAttribute('tabindex', one === cell ? '0' : '-1');
}

function moved(event) {
  const way = WAYS[event.key];
  const from = event.target.closest('[data-cell]');
  if (!way || !from) return;
  event.preventDefault();
  const cells = cellsOf(event.currentTarget);
  const place = (cell) => cell.dataset.cell.split(',').map(Number);
  cells[nextOn(way, place(from), cells.map(place))]?.focus();
}

/** Draws the cells of a grid, `data-cell="row,col"` each, anew; whoever was on one is still there. */
export function drawCells(holder, children) {
  const isHeld = holder.contains(document.activeElement);
  holder.replaceChildren(...children);
  const cells = cellsOf(holder);
  const stop = cells.find((cell) => cell.dataset.cell === holder.dataset.stop) ?? cells[0];
  if (!stop) return;
  if (!holder.dataset.stop) {
    holder.addEventListener('keydown', moved);
    holder.addEventListener('focusin', ({ target }) => {
      const cell = target.closest('[data-cell]');
      if (cell) stopAt(holder, cell);
    });
  }
  stopAt(holder, stop);
  if (isHeld) stop.focus({ preventScroll: true });
}
