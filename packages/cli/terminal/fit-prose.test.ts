import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitProse } from './table.ts';

const terminal = (columns: number) => ({ write: () => undefined, isTTY: true, columns });

test('on a terminal sentences are wrapped, and commands stay whole', () => {
  const text = 'one two three\n  kubectl get nodes --watch\n\nfour';
  assert.equal(fitProse(text, terminal(8)), 'one two\nthree\n  kubectl get nodes --watch\n\nfour');
});

test('in a file nothing is wrapped', () => {
  const text = 'one two three '.repeat(20);
  assert.equal(fitProse(text, { write: () => undefined }), text);
});
