import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitProse } from './table.ts';

const terminal = (columns: number) => ({ write: () => undefined, isTTY: true, columns });

test('fitProse wraps sentences on a terminal and keeps commands whole', () => {
  const text = 'one two three\n  kubectl get nodes --watch\n\nfour';
  assert.equal(fitProse(text, terminal(8)), 'one two\nthree\n  kubectl get nodes --watch\n\nfour');
});

test('fitProse wraps nothing without a terminal', () => {
  const text = 'one two three '.repeat(20);
  assert.equal(fitProse(text, { write: () => undefined }), text);
});
