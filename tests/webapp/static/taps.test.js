import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

const pressed = [];
globalThis.document = { addEventListener: (_, heard) => pressed.push(heard) };
const { SAME_TAP_MS, forget, once } = await import('../../../webapp/static/taps.js');

const FLIP = { type: 'flip', cell: [0, 0] };
const done = []; // the actions that were done
let now = 0;

beforeEach(() => {
  mock.method(performance, 'now', () => now);
  done.length = 0;
  now += 10 * SAME_TAP_MS;
  forget();
});

afterEach(() => mock.restoreAll());

/** A tap that asks for an action, so long after the one before. */
function tap(action, { after = 100, answer = Promise.resolve() } = {}) {
  now += after;
  for (const heard of pressed) heard();
  return once(action, () => {
    done.push(action);
    return answer;
  });
}

test('the second tap of two does nothing, and gets the answer of the first', async () => {
  const answer = Promise.resolve('the game');
  assert.equal(await tap(FLIP, { answer }), 'the game');
  assert.equal(await tap(FLIP), 'the game');
  assert.equal(done.length, 1);
});

test('a tap that ends a turn or a round does not end the next one', async () => {
  for (const name of ['turn', 'round']) {
    await tap({ type: 'end', [name]: 1 });
    await tap({ type: 'end', [name]: 2 });
    forget();
  }
  assert.equal(done.length, 2);
});

test('what is unanswered is not done again, however late', async () => {
  let answered;
  const first = tap(FLIP, { answer: new Promise((resolve) => { answered = resolve; }) });
  tap({ ...FLIP }, { after: 60 * SAME_TAP_MS });
  answered();
  await first;
  assert.equal(done.length, 1);
});

test('a later tap that ends the next round is meant, though the news of the first came before its answer', () => {
  const answer = new Promise(() => {});
  tap({ type: 'end', round: 1 }, { answer });
  tap({ type: 'end', round: 2 }, { after: SAME_TAP_MS });
  assert.equal(done.length, 2);
});

test('a later tap is meant, and another action, and one after a tap elsewhere', async () => {
  await tap(FLIP);
  await tap(FLIP, { after: SAME_TAP_MS });
  await tap({ ...FLIP, cell: [0, 1] });
  await tap(FLIP);
  for (const heard of pressed) heard();
  await tap(FLIP);
  forget();
  await tap(FLIP);
  assert.equal(done.length, 6);
});

test('what was refused may be tried again at once', async () => {
  await assert.rejects(tap(FLIP, { answer: Promise.reject(new Error('refused')) }));
  await tap(FLIP);
  assert.equal(done.length, 2);
});
