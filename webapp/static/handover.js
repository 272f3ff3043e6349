// What a page of this tab gives to the next: a photo to the quick look, what was read there to the game that is made of it.

import { HANDED, kept, MARK, store } from './keep.js';

/** Gives a photo to the next page of this tab; resolves with whether that is possible. */
export async function hand(photo) {
  try {
    await store('readwrite', (open) => open.put(photo, HANDED));
    return true;
  } catch {
    return false;
  }
}

const CARRIED = `${MARK}.carried`; // the kind of the game that what is kept is carried into

/** Carries what is kept into the game of that kind that this tab starts next; null: into none any more. */
export function carry(kind) {
  try {
    if (kind) sessionStorage.setItem(CARRIED, kind);
    else sessionStorage.removeItem(CARRIED);
  } catch { /* private browsing: the new game begins without it */ }
}

/** What is carried into a game of that kind, once: { file, grid, about }, null if it is lost, undefined if nothing is carried. */
export async function carried(kind) {
  try {
    const wanted = sessionStorage.getItem(CARRIED);
    carry(null);
    return wanted === kind ? await kept() : undefined;
  } catch {
    return undefined;
  }
}
