// Keeps the work on a page in this tab over a reload, photos among it; the photo of a quick look is kept likewise.

import { beforeToday, MARK, newName, store } from '../keep.js';

/** Keeps what a page of this tab goes on with, photos among it, as often as that changes; null: nothing any more. */
export async function keepWork(page, work) {
  const mark = `${MARK}${page}`;
  try {
    const key = sessionStorage.getItem(mark) ?? newName();
    sessionStorage.setItem(mark, key);
    await store('readwrite', (open) => { open.delete(beforeToday()); return work ? open.put(work, key) : open.delete(key); });
  } catch { /* private browsing */ }
}

/** What was kept for a page of this tab, or null. */
export async function keptWork(page) {
  try {
    const key = sessionStorage.getItem(`${MARK}${page}`);
    return (key && await store('readonly', (open) => open.get(key))) ?? null;
  } catch {
    return null;
  }
}
