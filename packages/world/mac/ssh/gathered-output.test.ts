import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gatherOutput } from './ssh-session.ts';

test('what is written in one turn is sent together, once, at its end', async () => {
  const sent: string[] = [];
  const output = gatherOutput(content => void sent.push(content.toString()));
  output.write('one\n');
  output.write(Buffer.from('two\n'));
  assert.deepEqual(sent, []);
  await nextTurn();
  output.write('three\n');
  await nextTurn();
  assert.deepEqual(sent, ['one\ntwo\n', 'three\n']);
});

test('flushed, it is sent at once and not again', async () => {
  const sent: string[] = [];
  const output = gatherOutput(content => void sent.push(content.toString()));
  output.write('');
  output.flush();
  output.write('one');
  output.flush();
  await nextTurn();
  assert.deepEqual(sent, ['one']);
});
