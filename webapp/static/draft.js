// What was typed into a part of a page, kept over a change of the language: it loads the page anew.

const ticked = ({ type }) => type === 'checkbox' || type === 'radio';

/**
 * Fills the fields of *part* as they were before the language changed, and keeps them for the next change.
 * Fields that nobody changed stay as the page has them: they may hold words of its language.
 * @param more adds a field at the end, on a page where people can add some and take them away
 */
export function keepDraft(part, name, more = null) {
  const key = `tallystone.draft.${name}`;
  const fields = () => [...part.querySelectorAll('input, select, textarea')].filter(({ type }) => type !== 'hidden' && type !== 'file');
  const valueOf = (one) => (ticked(one) ? one.checked : one.value);
  const untouched = fields().map(valueOf);
  document.querySelector('.languages').addEventListener('submit', () => {
    const draft = fields().map(valueOf).map((value, at) => (value === untouched[at] ? null : value));
    try { sessionStorage.setItem(key, JSON.stringify(draft)); } catch { /* private browsing */ }
  });
  try {
    const draft = JSON.parse(sessionStorage.getItem(key)) ?? [];
    sessionStorage.removeItem(key);
    while (more && fields().length < draft.length) more();
    if (!more && fields().length !== draft.length) return; // the page has other questions now
    fields().forEach((one, at) => {
      const is = ticked(one) ? 'checked' : 'value';
      if ((draft[at] ?? one[is]) === one[is]) return;
      one[is] = draft[at];
      one.dispatchEvent(new Event('change')); // what is drawn from it follows
    });
  } catch { /* private browsing */ }
}
