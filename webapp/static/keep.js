// Keeps photos and what was done with them in this tab over a reload: phones drop pages from memory all the time.
// Everything stays in the browser. It is forgotten with "New photo", or a day later when another photo is kept.

export const MARK = 'tallystone.open'; // in the tab's own storage: the key of what it comes back to, in the store of all tabs
const DAY_MS = 86_400_000;
const OPENING_MS = 3000; // some browsers never say that they do not open it

export const newName = () => `${Date.now()}-${Math.random()}`;
export const beforeToday = () => IDBKeyRange.upperBound(String(Date.now() - DAY_MS)); // names that tabs left, which may be closed

const opened = () => new Promise((done, failed) => {
  const opening = indexedDB.open('tallystone', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('open');
  opening.onerror = () => failed(opening.error);
  opening.onsuccess = () => done(opening.result);
  setTimeout(failed, OPENING_MS);
});

/** Does something with the store of all tabs and gives its result; rejects where the browser forbids it or does not answer. */
export async function store(mode, act) {
  const base = await opened();
  try {
    const change = base.transaction('open', mode);
    const asked = act(change.objectStore('open'));
    await new Promise((done, failed) => {
      change.oncomplete = done;
      change.onabort = () => failed(change.error);
    });
    return asked.result;
  } finally {
    base.close();
  }
}

let mine = null; // the key of what this page shows

/** Remembers the photo with what is known *about* it (once) and the grid (each time); does nothing where the browser forbids storage. */
export async function keep(photo, grid, about = null) {
  try {
    let key = sessionStorage.getItem(MARK);
    if (!photo && !key) return; // the photo is being kept right now, and the grid with it
    if (photo) {
      await forget();
      key = newName();
      await store('readwrite', (open) => { open.delete(beforeToday()); return open.put(photo, key); });
      sessionStorage.setItem(MARK, key);
      sessionStorage.setItem(`${MARK}.about`, JSON.stringify(about));
      mine = key;
    }
    sessionStorage.setItem(`${MARK}.grid`, JSON.stringify(grid));
  } catch { /* private browsing */ }
}

/** What was kept in this tab: { file, grid, about } or null; the grid is null for what is no board. */
export async function kept() {
  try {
    const key = sessionStorage.getItem(MARK);
    if (!key) return null;
    const grid = JSON.parse(sessionStorage.getItem(`${MARK}.grid`));
    const file = await store('readonly', (open) => open.get(key));
    const about = JSON.parse(sessionStorage.getItem(`${MARK}.about`));
    mine = key;
    return file ? { file, grid, about } : null;
  } catch {
    return null;
  }
}

/** Whether what this page shows is still kept: other pages of this tab, or a duplicate of it, may have forgotten it. */
export async function isKept() {
  try {
    return sessionStorage.getItem(MARK) === mine && Boolean(await store('readonly', (open) => open.getKey(mine)));
  } catch {
    return false;
  }
}

export const HANDED = 'handed';

/** The photo that the page before gave, once; null if it gave none. */
export async function handed() {
  try {
    const photo = await store('readonly', (open) => open.get(HANDED));
    await store('readwrite', (open) => open.delete(HANDED));
    return photo ?? null;
  } catch {
    return null;
  }
}

/** Forgets what this tab kept. */
export async function forget() {
  try {
    const key = sessionStorage.getItem(MARK);
    sessionStorage.removeItem(MARK);
    sessionStorage.removeItem(`${MARK}.grid`);
    sessionStorage.removeItem(`${MARK}.about`);
    if (key) await store('readwrite', (open) => open.delete(key));
  } catch { /* nothing was kept */ }
}
