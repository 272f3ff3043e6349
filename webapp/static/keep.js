// Keeps the photo and the corrections of this tab over a reload: phones drop pages from memory all the time.
// Everything stays in the browser and is forgotten with "New photo" or when the tab is closed.

const MARK = 'tallystone.open'; // in the tab's own storage: whether there is something to come back to

function store(mode, act) {
  return new Promise((done, failed) => {
    const opening = indexedDB.open('tallystone', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('open');
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const base = opening.result;
      const change = base.transaction('open', mode);
      const asked = act(change.objectStore('open'));
      change.oncomplete = () => { base.close(); done(asked.result); };
      change.onabort = () => { base.close(); failed(change.error); };
    };
  });
}

/** Remembers the photo (once) and the grid (each time); does nothing where the browser forbids storage. */
export async function keep(photo, grid) {
  try {
    let key = sessionStorage.getItem(MARK);
    if (!photo && !key) return; // the photo is being kept right now, and the grid with it
    if (photo) {
      key = `${Date.now()}-${Math.random()}`;
      await store('readwrite', (open) => { open.clear(); return open.put(photo, key); });
      sessionStorage.setItem(MARK, key);
    }
    sessionStorage.setItem(`${MARK}.grid`, JSON.stringify(grid));
  } catch { /* private browsing */ }
}

/** What was kept in this tab: { file, grid } or null. */
export async function kept() {
  try {
    const key = sessionStorage.getItem(MARK);
    const grid = JSON.parse(sessionStorage.getItem(`${MARK}.grid`));
    if (!key || !grid) return null;
    const file = await store('readonly', (open) => open.get(key));
    return file ? { file, grid } : null;
  } catch {
    return null;
  }
}

/** Forgets it. */
export async function forget() {
  try {
    sessionStorage.removeItem(MARK);
    sessionStorage.removeItem(`${MARK}.grid`);
    await store('readwrite', (open) => open.clear());
  } catch { /* nothing was kept */ }
}
