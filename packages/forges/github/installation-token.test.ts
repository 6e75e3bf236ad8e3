import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createInstallationToken } from './installation-token.ts';

function minting() {
  const clock = fakeClock();
  const made = { count: 0, fail: false };
  const tokens = createInstallationToken(clock, async () => {
    const token = `token-${++made.count}`;
    await Promise.resolve();
    if (made.fail) throw new Error('down');
    return { token, validFor: minutes(60) };
  });
  return { clock, made, tokens };
}

test('concurrent callers share one token request', async () => {
  const { tokens } = minting();
  const asked = Array.from({ length: 10 }, () => tokens.current());
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(['token-1']));
});

test('a token is cached until shortly before it expires', async () => {
  const { clock, tokens } = minting();
  await tokens.current();
  await clock.advance(minutes(54));
  assert.equal(await tokens.current(), 'token-1');
  await clock.advance(minutes(1));
  assert.equal(await tokens.current(), 'token-2');
});

test('a failed token request rejects all waiting callers and is not cached', async () => {
  const { made, tokens } = minting();
  made.fail = true;
  const asked = await Promise.allSettled([tokens.current(), tokens.current()]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(made.count, 1);
  made.fail = false;
  assert.equal(await tokens.current(), 'token-2');
});

test('forgetting an old token keeps the new one', async () => {
  const { tokens } = minting();
  tokens.forget(await tokens.current());
  assert.equal(await tokens.current(), 'token-2');
  tokens.forget('token-1');
  assert.equal(await tokens.current(), 'token-2');
});
