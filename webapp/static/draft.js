// What was typed into a part of a page, and what is kept of it over a change of the language: that loads the page anew.

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

/** Fills the fields of *part* as they were before the language changed, and keeps them for the next change. */
export function keepDraft(part, name) {
  const key = `tallystone.draft.${name}`;
  const draft = new Draft(part);
  document.querySelector('.languages').addEventListener('submit', () => {
    try { sessionStorage.setItem(key, JSON.stringify(draft.values)); } catch { /* private browsing */ }
  });
  try {
    draft.fill(JSON.parse(sessionStorage.getItem(key)) ?? []);
    sessionStorage.removeItem(key);
  } catch { /* private browsing */ }
}
