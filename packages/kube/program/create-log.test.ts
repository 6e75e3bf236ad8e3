import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { createRedactor, Secret } from '@minifleet/secret';
import { createLog } from './create-log.ts';

function logged(secrets: readonly Secret[] = []) {
  let text = '';
  const redactor = createRedactor(secrets);
  const output = { write: (line: string) => (text += line) };
  return { log: createLog({ output, level: 'info', clock: fakeClock(), redactor }), redactor, text: () => text };
}

test('fields with names of secrets are not written to the log', () => {
  const { log, text } = logged();
  log.info({ password: 'one', deep: { token: 'two', credentials: { auth: 'three' } }, auth: 'four' }, 'Fields');
  assert.doesNotMatch(text(), /one|two|three|four/);
});

test('a secret that the process reads later is removed from the log from then on', () => {
  const { log, redactor, text } = logged();
  redactor.learn(new Secret('token', 'hunter2hunter2'));
  log.child({ key: 'a/b' }).warn({ err: { message: 'rejected hunter2hunter2' } }, btoa('hunter2hunter2'));
  assert.doesNotMatch(text(), /hunter2|aHVudGVyMmh1bnRlcjI/);
  assert.match(text(), /"message":"\[token\]"/);
});
