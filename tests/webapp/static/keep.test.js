import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

const { hand } = await import('../../../webapp/static/handover.js');
const opened = (base) => ({ open: () => {
  const opening = { result: base };
  queueMicrotask(() => opening.onsuccess());
  return opening;
} });

mock.timers.enable({ apis: ['setTimeout'] });

test('a photo is not handed over where the browser keeps nothing', async () => {
  const close = mock.fn();
  const refuse = () => { throw new Error('no store'); };
  for (const base of [
    { close, transaction: refuse },
    { close, transaction: () => ({ objectStore: () => ({ put: refuse }) }) },
  ]) {
    globalThis.indexedDB = opened(base);
    assert.equal(await hand('photo'), false);
  }
  assert.equal(close.mock.callCount(), 2);
});

test('a photo is not handed over where the browser does not answer', async () => {
  globalThis.indexedDB = { open: () => ({}) };
  const handing = hand('photo');
  mock.timers.tick(10_000);
  assert.equal(await handing, false);
});
