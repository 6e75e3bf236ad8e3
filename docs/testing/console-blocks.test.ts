import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleBlocks, matchesPage } from './console-blocks.ts';

test('console blocks yield the commands after $ with their output', () => {
  const page = 'Words\n```console\n$ one\nfirst\nsecond\n$ two\n```\n```\n$ not run\n```\n```console\n$ three\n```\n';
  assert.deepEqual(consoleBlocks(page), [
    { command: 'one', prints: ['first', 'second'] },
    { command: 'two', prints: [] },
    { command: 'three', prints: [] },
  ]);
});

test('console blocks in a list are read without their indentation', () => {
  const page = '1. Words:\n\n   ```console\n   $ one\n   first\n     second\n   ```\n\n2. More\n';
  assert.deepEqual(consoleBlocks(page), [{ command: 'one', prints: ['first', '  second'] }]);
});

test('output matches the page despite different spacing and elided text', () => {
  assert.ok(matchesPage('NAME   READY\nmac-1  True\n', ['NAME READY', 'mac-… True']));
  assert.ok(matchesPage('a\nb\nc\nlast one\n', ['a', '…', 'last one']));
  assert.ok(matchesPage('anything\nat all\n', ['…']));
  assert.ok(matchesPage('', ['…']));
  assert.ok(matchesPage('', []));
});

test('output that differs from the page does not match', () => {
  assert.ok(!matchesPage('NAME READY\nmac-1 False\n', ['NAME READY', 'mac-… True']));
  assert.ok(!matchesPage('a\nb\n', ['a']));
  assert.ok(!matchesPage('a\n', ['a', 'b']));
  assert.ok(!matchesPage('words\n', []));
});
