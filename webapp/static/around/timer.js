// The timer of the table: the seconds that are left, and a signal at the end.

import { signal } from './signals.js';

const EVERY_MS = 250;
const SOON_S = 10;

/** Shows the timer of a game in *element*; gives the function that takes the newest one, null where none runs. */
export function showing(element, onEnd = () => {}) {
  let ends = 0;
  let shown = null;
  let ticking = null;

  function draw() {
    const left = Math.ceil((ends - performance.now()) / 1000);
    if (left <= 0) {
      stop();
      signal('timer');
      onEnd();
    } else if (left !== shown) {
      shown = left;
      element.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
      element.classList.toggle('soon', left <= SOON_S);
    }
  }

  function stop() {
    clearInterval(ticking);
    ticking = null;
    shown = null;
    element.hidden = true;
  }

  return (timer) => {
    stop();
    if (!timer) return;
    ends = performance.now() + timer.left_ms;
    element.hidden = false;
    ticking = setInterval(draw, EVERY_MS);
    draw();
  };
}
