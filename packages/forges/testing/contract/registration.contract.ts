import assert from 'node:assert/strict';
import { minutes } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { LABELS, type Topic } from './forge-bench.ts';

export const registrationContract: Topic = test => {
  test('a registration token registers a runner and is valid for a while', async ({ forge, register, now }) => {
    const { token, expiresAt } = await forge.registrationToken();
    assert.ok(token instanceof Secret);
    assert.ok(expiresAt - now() >= minutes(30), 'a host takes minutes to come to its registration');
    register(token, 'mini-01', LABELS);
    assert.equal((await forge.runner('mini-01'))?.state, 'online');
  });

  test('every registration token is new', async ({ forge }) => {
    const [one, other] = [await forge.registrationToken(), await forge.registrationToken()];
    assert.notEqual(one.token.reveal().toString(), other.token.reveal().toString());
  });

  test('an invalid registration token registers nothing', async ({ forge, register }) => {
    assert.throws(() => register(new Secret('made up', 'AAAA'), 'mini-01', LABELS));
    assert.deepEqual(await forge.runners(), []);
  });

  test('the registration URL is that of the account', async ({ forge }) => {
    assert.match(forge.url, /^https?:\/\/[^/]+\/acme$/);
  });
};
