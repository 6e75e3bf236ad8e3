import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeDiff } from './merge-diff.ts';

test('mergeDiff of equal values is undefined, regardless of field order', () => {
  assert.equal(mergeDiff({ a: 1, b: { c: [1, { d: 2 }] } }, { b: { c: [1, { d: 2 }] }, a: 1 }), undefined);
});

test('mergeDiff contains only the different fields', () => {
  assert.deepEqual(mergeDiff({ a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3, e: 4 } }), { b: { d: 3, e: 4 } });
});

test('mergeDiff sets a missing or undefined field to null', () => {
  assert.deepEqual(mergeDiff({ a: 1, b: 2, c: 3 }, { a: 1, b: undefined }), { b: null, c: null });
});

test('mergeDiff replaces lists as a whole', () => {
  assert.deepEqual(mergeDiff({ list: [1, 2] }, { list: [1, 3] }), { list: [1, 3] });
});
