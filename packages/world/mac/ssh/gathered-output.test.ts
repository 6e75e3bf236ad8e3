import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gatherOutput } from './ssh-session.ts';

test('SSH output of one event loop turn is sent once, at its end', async () => {
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

test('flushed SSH output is sent immediately and only once', async () => {
  const sent: string[] = [];
  const output = gatherOutput(content => void sent.push(content.toString()));
  output.write('');
  output.flush();
  output.write('one');
  output.flush();
  await nextTurn();
  assert.deepEqual(sent, ['one']);
});
