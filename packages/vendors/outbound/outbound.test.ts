import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, seconds, systemClock } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { VENDOR_BUSY, VENDOR_REFUSED, VENDOR_UNAVAILABLE } from '../errors.ts';
import { createOutbound, type Outbound } from './outbound.ts';
import type { Patience } from './patience.ts';
import type { Judgement } from './try-once.ts';

const hasty: Patience = {
  deadline: seconds(20),
  answerWithin: seconds(10),
  tries: 3,
  firstPause: milliseconds(1),
  longestPause: milliseconds(1),
  requestsPerSecond: 1_000,
  failuresInARow: 1_000,
  leftAloneFor: milliseconds(500),
};

function judge(call: string, failure: unknown): Judgement {
  const values = { vendor: 'acme', call, why: (failure as Error).message, after: '1s' };
  if (values.why === 'refused') return { error: VENDOR_REFUSED(values) };
  if (values.why === 'busy') return { error: VENDOR_BUSY(values), silence: milliseconds(5) };
  return { error: VENDOR_UNAVAILABLE(values) };
}

const outbound = (changes: Partial<Patience> = {}, clock = systemClock): Outbound =>
  createOutbound({ vendor: 'acme', clock, judge, patience: { ...hasty, ...changes } });

/** Fails in these ways, one after another, then answers; counts how often it was asked. */
function vendor(...failures: readonly string[]) {
  const asked = { times: 0 };
  const send = async (): Promise<string> => {
    const failure = failures[asked.times++];
    if (failure !== undefined) throw new Error(failure);
    return 'answer';
  };
  return { asked, send };
}

/** Answers never, but takes notice of being given up. */
const silent = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

for (const failure of ['away', 'busy']) {
  test(`a vendor call is retried while the vendor is ${failure}`, async () => {
    const { asked, send } = vendor(failure, failure);
    assert.equal(await outbound().call('read', undefined, request => request(send)), 'answer');
    assert.equal(asked.times, 3);
  });
}

test('a vendor that stays unavailable fails the call after the last attempt', async () => {
  const { asked, send } = vendor('away', 'away', 'away', 'away');
  const asking = outbound().call('read', undefined, request => request(send));
  await assert.rejects(asking, { code: 'VENDOR_UNAVAILABLE', message: /^acme: read failed \(away\)/ });
  assert.equal(asked.times, 3);
});

test('a vendor call that is refused is not retried', async () => {
  const { asked, send } = vendor('refused');
  await assert.rejects(
    outbound().call('read', undefined, request => request(send)),
    { code: 'VENDOR_REFUSED' },
  );
  assert.equal(asked.times, 1);
});

test('a vendor request that is not repeatable is sent once', async () => {
  const { asked, send } = vendor('away');
  const asking = outbound().call('write', undefined, request => request(send, { repeatable: false }));
  await assert.rejects(asking, { code: 'VENDOR_UNAVAILABLE' });
  assert.equal(asked.times, 1);
});

test('a vendor request without a response is aborted and sent again', async () => {
  let asked = 0;
  const send = (signal: AbortSignal): Promise<string> => (asked++ === 0 ? silent(signal) : Promise.resolve('answer'));
  const { call } = outbound({ answerWithin: milliseconds(20) });
  assert.equal(await call('read', undefined, request => request(send)), 'answer');
});

test('a vendor call ends at its deadline with its last error', async () => {
  const { call } = outbound({ deadline: milliseconds(50) });
  const slow = call('read', undefined, request => request(silent));
  await assert.rejects(slow, { code: 'VENDOR_UNAVAILABLE', message: /no response within 50ms/ });
  const { send } = vendor('busy');
  const busy = outbound({ deadline: milliseconds(500), firstPause: seconds(10), longestPause: seconds(10) });
  await assert.rejects(
    busy.call('read', undefined, request => request(send)),
    { code: 'VENDOR_BUSY' },
  );
});

test('an aborted vendor call does not wait for its retry', async () => {
  const clock = fakeClock();
  const { asked, send } = vendor('away');
  const giveUp = new AbortController();
  const asking = outbound({}, clock).call('read', giveUp.signal, request => request(send));
  const ending = assert.rejects(asking, { message: 'enough' });
  await eventually(() => asked.times === 1 && clock.pending === 1);
  giveUp.abort(new Error('enough'));
  await ending;
  await eventually(() => clock.pending === 0);
  assert.equal(asked.times, 1);
});

test('consecutive failures open the circuit breaker for all calls, and it closes later', async () => {
  const { asked, send } = vendor('away', 'away', 'away', 'away');
  const { call } = outbound({ failuresInARow: 4, tries: 2 });
  const ask = (): Promise<string> => call('read', undefined, request => request(send));
  await assert.rejects(ask());
  await assert.rejects(ask());
  await assert.rejects(ask(), { code: 'VENDOR_UNAVAILABLE', message: /paused after 4 consecutive failures/ });
  assert.equal(asked.times, 4);
  assert.equal(await eventually(ask), 'answer');
});

test('refusals and aborted calls do not count as failures of the vendor', async () => {
  const { call } = outbound({ failuresInARow: 1 });
  const refused = vendor('refused');
  await assert.rejects(call('read', undefined, request => request(refused.send)));
  await assert.rejects(
    call('read', AbortSignal.timeout(5), request => request(silent)),
    { name: 'TimeoutError' },
  );
  assert.equal(await call('read', undefined, request => request(vendor().send)), 'answer');
});
