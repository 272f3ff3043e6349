// What was typed into a part of a page, and what is kept of it in this tab until it is sent: over a change of the language, too.

const ticked = ({ type }) => type === 'checkbox' || type === 'radio';

const valueOf = (one) => (ticked(one) ? one.checked : one.value);

export class Draft {
  /** @param part holds the fields, with nothing typed yet */
  constructor(part) {
    this.part = part;
    this.untouched = this.#fields().map(valueOf);
  }

  #fields() {
    return [...this.part.querySelectorAll('input, select, textarea')].filter(({ type }) => type !== 'hidden' && type !== 'file');
  }

  /** What is in the fields; null where nobody changed one: it may hold words of the page's language. */
  get values() {
    return this.#fields().map(valueOf).map((value, at) => (value === this.untouched[at] ? null : value));
  }

  /** Fills the fields with such values, and lets what is drawn from them follow; does nothing if they belong to other fields. */
  fill(values) {
    const fields = this.#fields();
    if (values.length !== fields.length) return;
    fields.forEach((one, at) => {
      const is = ticked(one) ? 'checked' : 'value';
      if ((values[at] ?? one[is]) === one[is]) return;
      one[is] = values[at];
      one.dispatchEvent(new Event('change'));
    });
  }
}

const MARK = 'tallystone.draft.';

/** Fills the fields of *form* as this tab left the page, except where others filled them since. */
export function keepDraft(form) {
  const key = MARK + document.querySelector('.languages [name=back]').value; // where the page is loaded anew
  const draft = new Draft(form);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'hidden') return;
    try {
      sessionStorage.setItem(key, JSON.stringify({ untouched: draft.untouched, values: draft.values }));
    } catch { /* private browsing */ }
  });
  try {
    const { untouched, values } = JSON.parse(sessionStorage.getItem(key)) ?? { values: [] };
    draft.fill(values.map((value, at) => (untouched[at] === draft.untouched[at] ? value : null)));
  } catch { /* private browsing */ }
}

/** Forgets what this tab left on the pages below *path*, once it arrived. */
export function dropDrafts(path) {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(MARK + path)) sessionStorage.removeItem(key);
  } catch { /* private browsing */ }
}
