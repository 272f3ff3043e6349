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

  /** Whether nothing is wrong with what was sent: the same may be taken later. */
  get isLater() { return this.status === 429 || this.status >= 500; }
}

export const UNREACHABLE = t('The computer at the table does not answer. Is Tallystone still running there, and is this phone in'
  + ' the same network?');

/** What is wrong with an answer: its status, and what it says as JSON or null; *otherwise* is said for a refusal without words. */
export function refusalOf(status, answer, otherwise = UNREACHABLE) {
  const isRefused = status >= 400 && status < 500; // else a proxy spoke for the server, or the answer was cut off
  return new Refusal(answer?.error?.code ?? (isRefused ? 'unexpected' : 'unreachable'), answer?.error?.message ?? (isRefused ? otherwise : UNREACHABLE),
    status, answer);
}

const RETRY_MS = [300, 700, 1500, 3000, 5000]; // between attempts that got no answer; the last one repeats

/** Asks until there is an answer, or it is not wanted any more; *onSilent* gets what is said of each attempt without one. */
export async function persistently(asking, onSilent, isWanted = () => true) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await asking();
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'unreachable' && isWanted())) throw error; // the server, or its database
      onSilent(error.message);
      await pause(RETRY_MS[attempt] ?? RETRY_MS.at(-1));
      if (!isWanted()) throw error;
    }
  }
}

/** A number of one's own for something that must be done once, however often it is sent. */
export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

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
  throw refusalOf(response.status, answer);
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
