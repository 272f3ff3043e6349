// A second tap that follows the first at once is the same tap: what it asks for is done once.

export const SAME_TAP_MS = 700; // the longest time between the two taps of a double tap

let taps = 0;
let last = null; // what was done last: { action, at, taps, isOpen, done }

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** An action whatever turn or round it ends. */
const whenever = (action) => ({ ...action, turn: null, round: null });

document.addEventListener('click', () => { taps += 1; }, true);

/** Forgets what was done last: after a step back the same action is meant once more. */
export function forget() { last = null; }

/**
 * Does an action, unless it is the last one once more: while that is unanswered, or by the very next tap soon after.
 * A choice that takes several taps, such as swapping two stones back, is always meant.
 * @param action what is asked for; of two taps at once, the `turn` or `round` that it ends makes no other one of it
 * @param doing does it; gives a promise
 * @returns the promise of the action that was done
 */
export function once(action, doing) {
  const at = performance.now();
  const isSoon = last && taps - last.taps <= 1 && at - last.at < SAME_TAP_MS;
  const isDone = last && ((last.isOpen && isSame(last.action, action)) || (isSoon && isSame(whenever(last.action), whenever(action))));
  if (!isDone) {
    const mine = { action, isOpen: true, done: doing() };
    mine.done.then(() => { mine.isOpen = false; }, () => { if (last === mine) forget(); });
    last = mine;
  }
  Object.assign(last, { at, taps });
  return last.done;
}
