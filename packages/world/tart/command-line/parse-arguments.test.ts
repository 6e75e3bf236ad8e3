import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandShape, flag, option, parse } from './parse-arguments.ts';

const shape: CommandShape = {
  name: 'exec',
  about: '',
  positional: [
    { name: 'name', help: 'VM name' },
    { name: 'command', help: 'command', passthrough: true },
  ],
  options: [
    flag('interactive', 'i'),
    flag('tty', 't'),
    option('timeout', { integer: true }),
    option('dir', { repeated: true }),
  ],
};

test('tart flags can be bundled, and values follow or are joined by an equals sign', () => {
  const given = parse(shape, ['-it', '--timeout=5', '--dir', 'a', '--dir', 'b', 'vm', 'ls']);
  assert.deepEqual([given.has('interactive'), given.has('tty'), given.integer('timeout')], [true, true, 5]);
  assert.deepEqual(given.all('dir'), ['a', 'b']);
});

test('options within the guest’s command are passed to the guest', () => {
  assert.deepEqual(parse(shape, ['vm', 'ls', '-l', '--', '-t']).positional, ['vm', 'ls', '-l', '--', '-t']);
});

test('tart reports usage errors with ArgumentParser’s messages', () => {
  const mistakes: readonly (readonly [readonly string[], RegExp])[] = [
    [['--nope', 'vm', 'ls'], /^Unknown option '--nope'$/],
    [['--timeout'], /^Missing value for '--timeout <timeout>'$/],
    [['--timeout', 'soon', 'vm', 'ls'], /^The value 'soon' is invalid for '--timeout <timeout>'$/],
    [[], /^Missing expected argument '<name>'/],
  ];
  for (const [argv, message] of mistakes) assert.throws(() => parse(shape, argv), { message });
});
