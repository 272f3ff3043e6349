// Keeps this device's picture of the game the same as everybody's: changes go out one after another and are sent again
// until they are answered; events bring the newer game, or the page asks every second where events do not get through.

import { ask, newKey, persistently, send } from './api.js';
import { forget, once } from './taps.js';

const POLL_MS = 1000;
const LISTEN_AGAIN_MS = 15000; // at least, and up to twice that: not all devices at once
const TAB = newKey().slice(0, 12); // the server takes another tab of this phone for another device: neither knows what the other shows
const keyed = () => `${TAB}.${newKey()}`;
const LOOK_AGAIN_MS = 500; // after a look at the game that failed

let code = '';
let game = null;
let listener = () => {};
let onConnection = () => {};
let onGone = () => {};
const snapshot = (since) => ask(`/api/games/${code}${since}`);
let look = snapshot; // a page that looks in its own way is told by an event only that there is something newer
let queue = Promise.resolve();
let isUnsent = false; // whether a change has got no answer yet
const onUnsent = []; // called once, when one gets none
let polling = null;
let listening = null; // timer: events once more, while the page asks instead
let events = null;
let again = null; // timer: the next look after one that failed

/** Tells that the table computer answers, unless something that is shown here is still to be sent. */
function reached() {
  if (!isUnsent) onConnection(true);
}

function received(newer) {
  if (game && newer.version < game.version) return game; // an answer that was overtaken
  const changed = !game || newer.version !== game.version;
  game = newer;
  if (changed) listener(game);
  return game;
}

/**
 * Starts listening to a game.
 * @param first the snapshot that came with the page
 * @param onChange called with every newer snapshot
 * @param onConnection called with true or false when the table computer is reached again, or not any more
 * @param look asks for the newest snapshot, or gives a mere version where it is `?since=` that
 * @param onGone called when this device is no member any more
 */
export function connect({ code: ofGame, first = null, onChange, onConnection: connection, onGone: gone, look: looking }) {
  code = ofGame;
  game = first;
  listener = onChange;
  onConnection = connection ?? onConnection;
  onGone = gone ?? onGone;
  look = looking ?? look;
  listen();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return stop();
    refresh();
    return listen();
  });
  window.addEventListener('online', () => { listen(); refresh(); });
  window.addEventListener('pagehide', stop);
  window.addEventListener('pageshow', (event) => event.persisted && listen());
}

function stop() {
  events?.close();
  events = null;
  clearInterval(polling);
  polling = null;
  clearTimeout(listening);
  clearTimeout(again);
}

function listen() {
  stop();
  if (!('EventSource' in window)) return poll();
  events = new EventSource(`/api/games/${code}/events?since=${game?.version ?? ''}`);
  events.addEventListener('open', reached);
  events.addEventListener('message', (event) => {
    reached();
    if (look === snapshot) received(JSON.parse(event.data));
    else refresh();
  });
  events.addEventListener('gone', () => { stop(); onGone(); });
  events.addEventListener('error', () => {
    if (events?.readyState === EventSource.CLOSED) poll(); // refused: the server has no thread to spare, or starts
    else onConnection(false); // lost: the browser tries again by itself
  });
  return undefined;
}

function poll() {
  stop();
  polling = setInterval(refresh, POLL_MS);
  listening = setTimeout(listen, LISTEN_AGAIN_MS * (1 + Math.random()));
}

/** Asks for the game now, and again soon if there is no answer. */
export async function refresh() {
  clearTimeout(again);
  try {
    const since = game ? `?since=${game.version}` : '';
    const answer = await look(since);
    reached();
    if (answer.view !== undefined) received(answer);
  } catch (error) {
    if (error.status === 403) { stop(); onGone(); return; }
    onConnection(false);
    if (events) again = setTimeout(refresh, LOOK_AGAIN_MS);
  }
}

/** Sends a change until it is answered. */
async function deliver(path, body) {
  try {
    const answer = received(await persistently(() => send(`/api/games/${code}/${path}`, body), () => {
      isUnsent = true;
      for (const tell of onUnsent.splice(0)) tell();
      onConnection(false);
    }));
    isUnsent = false;
    reached();
    return answer;
  } catch (error) {
    isUnsent = false;
    const newer = error.answer?.game;
    if (newer) received(newer);
    reached();
    listener(game); // the page may show what was refused
    throw error;
  }
}

function queued(path, body) {
  const mine = queue.then(() => deliver(path, body()));
  queue = mine.catch(() => {});
  return mine;
}

/** The version of the game that is shown. */
export const version = () => game?.version;

/**
 * Does an action; resolves with the game, rejects with a Refusal.
 * @param seen the version that the person saw when deciding: what others did since to the same thing is not overwritten
 */
export function act(action, seen = version()) {
  const key = keyed();
  return once(action, () => queued('actions', () => ({ action, base_version: seen, key }))); // by the key the server does it once
}

/** Resolves once a change gets no answer: it is kept here and sent again, and those behind it wait. */
export const unsent = () => (isUnsent ? Promise.resolve() : new Promise((done) => { onUnsent.push(done); }));

/** Goes a step back or forth from the version that the game has when its turn comes. */
function step(path) {
  forget();
  const key = keyed();
  return queued(path, () => ({ base_version: game.version, key }));
}

/** Goes back one change, whoever made it. */
export const undo = () => step('undo');

/** Does it again. */
export const redo = () => step('redo');

/** Sends anything else of this game that answers with the newer game. */
export async function order(path, body, method = 'POST') {
  const answer = await send(`/api/games/${code}/${path}`, body, method);
  return answer.view === undefined ? answer : received(answer);
}
