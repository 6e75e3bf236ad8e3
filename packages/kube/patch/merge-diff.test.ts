import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeDiff } from './merge-diff.ts';

test('equal values need no patch, whatever the order of their fields', () => {
  assert.equal(mergeDiff({ a: 1, b: { c: [1, { d: 2 }] } }, { b: { c: [1, { d: 2 }] }, a: 1 }), undefined);
});

test('only what differs is in the patch', () => {
  assert.deepEqual(mergeDiff({ a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3, e: 4 } }), { b: { d: 3, e: 4 } });
});

test('a field that is gone, or undefined, is removed by null', () => {
  assert.deepEqual(mergeDiff({ a: 1, b: 2, c: 3 }, { a: 1, b: undefined }), { b: null, c: null });
});

test('lists are replaced whole', () => {
  assert.deepEqual(mergeDiff({ list: [1, 2] }, { list: [1, 3] }), { list: [1, 3] });
});
