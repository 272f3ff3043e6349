// Talks to the server that the page came from.

import { t } from './i18n.js';

/** Waits for some milliseconds. */
export const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

/** A refusal in words for the person at the table. */
export class Refusal extends Error {
  constructor(code, message, status = 0, answer = null) {
    super(message);
    this.code = code;
    this.status = status;
    this.answer = answer; // all that the server said
  }
}

export const UNREACHABLE = t('The computer at the table does not answer. Is Tallystone still running there, and is this phone in'
  + ' the same network?');

/** Asks the server; *options* are those of fetch. Throws a Refusal. */
export async function ask(path, options = {}) {
  let response;
  try {
    const token = document.querySelector('meta[name=csrf-token]').content;
    response = await fetch(path, { ...options, headers: { ...options.headers, 'X-CSRF-Token': token } });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refusal('unreachable', UNREACHABLE);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  const isRefused = response.status >= 400 && response.status < 500; // else a proxy spoke for the server, or the answer was cut off
  throw new Refusal(answer?.error?.code ?? (isRefused ? 'unexpected' : 'unreachable'), answer?.error?.message ?? UNREACHABLE,
    response.status, answer);
}

/** Sends JSON and gives the answer. */
export const send = (path, body, method = 'POST') => ask(path, {
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** Which cards match the grid. */
export const matchesOf = (text) => send('/api/matches', { text });

/** A bundled demo photo. */
export async function samplePhoto(name) {
  const response = await fetch(`/samples/${encodeURIComponent(name)}`).catch(() => null);
  if (!response?.ok) throw new Refusal('unreachable', UNREACHABLE);
  return response.blob();
}
