// What was typed into a part of a page, kept over a change of the language: it loads the page anew.

const ticked = ({ type }) => type === 'checkbox' || type === 'radio';

/** Fills the fields of *part* as they were before the language changed, and keeps them for the next change. */
export function keepDraft(part, name) {
  const key = `tallystone.draft.${name}`;
  const fields = () => [...part.querySelectorAll('input, select, textarea')].filter(({ type }) => type !== 'hidden' && type !== 'file');
  document.querySelector('.languages').addEventListener('submit', () => {
    const draft = fields().map((one) => (ticked(one) ? one.checked : one.value));
    try { sessionStorage.setItem(key, JSON.stringify(draft)); } catch { /* private browsing */ }
  });
  try {
    const draft = JSON.parse(sessionStorage.getItem(key)) ?? [];
    sessionStorage.removeItem(key);
    if (draft.length !== fields().length) return; // the page has other questions now
    fields().forEach((one, at) => {
      const is = ticked(one) ? 'checked' : 'value';
      if (one[is] === draft[at]) return;
      one[is] = draft[at];
      one.dispatchEvent(new Event('change')); // what is drawn from it follows
    });
  } catch { /* private browsing */ }
}
