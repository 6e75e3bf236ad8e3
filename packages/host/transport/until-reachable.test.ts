import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED } from '../errors.ts';
import { passTime, testHost } from '../testing/test-host.ts';
import { emptyOutput, type HostTransport } from './transport.ts';
import { untilReachable } from './until-reachable.ts';

const patience = { within: minutes(5), every: seconds(10) };

test('a reachable host is reached by the first attempt', async () => {
  const { transport, clock } = testHost();
  await untilReachable(transport, { ...patience, clock });
  assert.equal(transport.roundTrips, 1);
});

test('a host that reboots is waited for until it runs commands again', async () => {
  const { transport, clock, mac, faults } = testHost();
  const rebooted = mac.reboot();
  faults.add({ kind: 'command', fault: { type: 'hang' }, times: 1 });
  await passTime(clock, untilReachable(transport, { ...patience, clock }));
  await rebooted;
  assert.ok(mac.running);
});

test('a host that stays unreachable is an error with the last reason', async () => {
  const { transport, clock, mac } = testHost();
  mac.shutDown();
  const started = clock.now();
  await assert.rejects(passTime(clock, untilReachable(transport, { ...patience, clock })), {
    code: 'HOST_STAYED_UNREACHABLE',
    message: /^m1@mini-01: unreachable for 5m; last error: m1@mini-01: SSH connection failed .*switched off/,
  });
  assert.ok(clock.now() - started <= minutes(5));
});

test('a host that accepts commands and never answers is an error', async () => {
  const { transport, clock, faults } = testHost();
  faults.add({ kind: 'command', fault: { type: 'hang' } });
  await assert.rejects(passTime(clock, untilReachable(transport, { ...patience, clock })), /did not finish within/);
});

for (const final of [HOST_KEY_REFUSED, HOST_IDENTITY_CHANGED]) {
  test(`${final.code} is not retried`, async () => {
    const { transport, clock } = testHost();
    const error = final({ address: transport.address, seen: 'SHA256:a', pinned: 'SHA256:b' });
    const refusing: HostTransport = {
      ...transport,
      run: async () => ({ kind: 'unreached', begun: false, error, ...emptyOutput() }),
    };
    const started = clock.now();
    await assert.rejects(untilReachable(refusing, { ...patience, clock }), { code: final.code });
    assert.equal(clock.now(), started);
  });
}

test('an aborted wait rejects with the caller’s reason', async () => {
  const { transport, clock, mac } = testHost();
  mac.shutDown();
  const controller = new AbortController();
  const waiting = untilReachable(transport, { ...patience, clock, signal: controller.signal });
  await clock.settle();
  controller.abort(new Error('shutting down'));
  await assert.rejects(waiting, { message: 'shutting down' });
});
