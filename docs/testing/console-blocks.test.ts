import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleBlocks, isAsShown } from './console-blocks.ts';

test('commands are those after a $ in blocks of a console, each with what it prints', () => {
  const page = 'Words\n```console\n$ one\nfirst\nsecond\n$ two\n```\n```\n$ not run\n```\n```console\n$ three\n```\n';
  assert.deepEqual(consoleBlocks(page), [
    { command: 'one', prints: ['first', 'second'] },
    { command: 'two', prints: [] },
    { command: 'three', prints: [] },
  ]);
});

test('what is printed is as shown, whatever the spacing and the dots stand for', () => {
  assert.ok(isAsShown('NAME   READY\nmac-1  True\n', ['NAME READY', 'mac-… True']));
  assert.ok(isAsShown('a\nb\nc\nlast one\n', ['a', '…', 'last one']));
  assert.ok(isAsShown('anything\nat all\n', ['…']));
  assert.ok(isAsShown('', ['…']));
  assert.ok(isAsShown('', []));
});

test('what is not as shown is seen', () => {
  assert.ok(!isAsShown('NAME READY\nmac-1 False\n', ['NAME READY', 'mac-… True']));
  assert.ok(!isAsShown('a\nb\n', ['a']));
  assert.ok(!isAsShown('a\n', ['a', 'b']));
  assert.ok(!isAsShown('words\n', []));
});
