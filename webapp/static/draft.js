// What was typed into a form, kept over a change of the language: it loads the page anew.

const ticked = ({ type }) => type === 'checkbox' || type === 'radio';

/** Fills the form as it was before the language changed, and keeps it for the next change. */
export function keepDraft(form, name) {
  const key = `tallystone.draft.${name}`;
  const fields = () => [...form.elements].filter((one) => one.name && one.name !== 'csrf_token' && one.type !== 'file');
  document.querySelector('.languages').addEventListener('submit', () => {
    const draft = fields().map((one) => (ticked(one) ? one.checked : one.value));
    try { sessionStorage.setItem(key, JSON.stringify(draft)); } catch { /* private browsing */ }
  });
  try {
    const draft = JSON.parse(sessionStorage.getItem(key)) ?? [];
    sessionStorage.removeItem(key);
    if (draft.length !== fields().length) return; // the page has other questions now
    fields().forEach((one, at) => { one[ticked(one) ? 'checked' : 'value'] = draft[at]; });
  } catch { /* private browsing */ }
}
