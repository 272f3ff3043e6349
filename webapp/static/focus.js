// Whoever is on a control is still there after it was drawn anew, or on the next one if it has gone or is disabled.

const CONTROLS = 'button, a[href], input, select, summary, [tabindex="0"]';

const isUsable = (control) => control.checkVisibility() && !control.matches(':disabled');

const controlsIn = (holder) => [...holder.querySelectorAll(CONTROLS)].filter(isUsable);

/** Where a control is: its name, and its number among the controls of each element with an id around it, the innermost first. */
function placeOf(control) {
  const around = [];
  for (let holder = control.parentElement?.closest('[id]'); holder; holder = holder.parentElement?.closest('[id]')) {
    around.push({ id: holder.id, at: controlsIn(holder).indexOf(control) });
  }
  return { control, key: control.dataset.key, around };
}

/** The control that stands at that place now. */
function now({ key, around }) {
  const same = key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (same && isUsable(same)) return same;
  for (const { id, at } of around) {
    const controls = controlsIn(document.getElementById(id) ?? document.createElement('p'));
    if (controls.length) return controls[Math.min(Math.max(at, 0), controls.length - 1)];
  }
  return null;
}

/** Begins to keep the focus on the page. */
export function keepFocus() {
  let last = null;
  document.addEventListener('focusin', ({ target }) => { last = target.dataset ? placeOf(target) : null; });
  document.addEventListener('pointerdown', () => { last = null; }); // a finger is nowhere afterwards, unless it was on a control
  new MutationObserver(() => {
    const { activeElement: held } = document;
    const isLost = last && (held === document.body || held === last.control) && !isUsable(last.control);
    if (isLost) now(last)?.focus({ preventScroll: true });
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['hidden', 'disabled'] });
}
