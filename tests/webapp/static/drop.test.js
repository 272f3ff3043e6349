import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.window = new EventTarget();
await import('../../../webapp/static/drop.js');

/** Whether the browser does nothing of its own with what comes over the page. */
function isKept(type, kind, isField) {
  const event = new Event(type, { cancelable: true });
  Object.assign(event, { dataTransfer: { types: [kind] } });
  window.matches = () => isField;
  window.dispatchEvent(event);
  return event.defaultPrevented;
}

test('a file that is dropped beside its field opens no other page', () => {
  for (const type of ['dragover', 'drop']) {
    assert.ok(isKept(type, 'Files', false));
    assert.ok(!isKept(type, 'Files', true));
    assert.ok(!isKept(type, 'text/plain', false));
  }
});
