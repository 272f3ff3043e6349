import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document = { documentElement: { dataset: { catalogue: '/i18n/de.json' } } };
globalThis.fetch = async () => ({ ok: true, json: async () => ({ '%(n)s card': '%(n)s Karte', '%(n)s cards': '%(n)s Karten', '100 %%': '100 %%' }) });
const { sentences, t, tn } = await import('../../../webapp/static/i18n.js');

test('a text is shown in the language of the page, with its values', () => {
  assert.equal(tn('%(n)s card', '%(n)s cards', 1), '1 Karte');
  assert.equal(tn('%(n)s card', '%(n)s cards', 3), '3 Karten');
});

test('what is not translated stays English', () => {
  assert.equal(t('Whose turn is it?'), 'Whose turn is it?');
});

test('a value is not read as a text, and names of objects are no values', () => {
  assert.equal(t('%(name)s wins!', { name: '%(n)s card' }), '%(n)s card wins!');
  assert.equal(t('%(constructor)s'), '%(constructor)s');
  assert.equal(t('constructor'), 'constructor');
  assert.equal(t('100 %%'), '100 %');
});

test('a name that is written from right to left is set apart, and no other value', () => {
  assert.equal(t('%(name)s: 3', { name: 'محمد' }), '\u2068محمد\u2069: 3');
  assert.equal(t('%(name)s: %(n)s', { name: 'Zoë 李明', n: 3 }), 'Zoë 李明: 3');
});

test('a number below zero has the sign that people write', () => {
  assert.equal(t('%(name)s: %(n)s', { name: '-2', n: -2 }), '-2: −2');
});

test('no space stands between Chinese sentences', () => {
  assert.equal(sentences(['Ann wins!', '', 'Ben is second.']), 'Ann wins! Ben is second.');
  document.documentElement.lang = 'zh';
  assert.equal(sentences(['安获胜！', '本第二。']), '安获胜！本第二。');
});
