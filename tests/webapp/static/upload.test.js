import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document = { documentElement: { dataset: {} } };
const { Upload } = await import('../../../webapp/static/review/upload.js');

test('of several photos that are dropped none is read, and it is told', () => {
  const refused = [];
  const upload = new Upload({ onRefused: ({ code }) => refused.push(code) });
  const drop = (...files) => upload.dropped({ dataTransfer: { files } });
  assert.equal(drop('one'), 'one');
  assert.equal(drop(), undefined);
  assert.deepEqual(refused, []);
  assert.equal(drop('one', 'other'), undefined);
  assert.deepEqual(refused, ['several']);
});
