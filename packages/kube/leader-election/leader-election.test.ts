import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { leases } from '../client/built-in.ts';
import { silentLog } from '../observe/log.ts';
import { createMemoryApi, type MemoryApi } from '../testing/memory-api.ts';
import { LeadershipLost, runAsLeader } from './leader-election.ts';

const lease = { namespace: 'kube-system', name: 'minifleet-provider' };

describe('leader election', () => {
  let clock: FakeClock;
  let api: MemoryApi;
  /** Current leaders, in the order in which they began. More than one is the failure that these tests detect. */
  let leading: string[];

  beforeEach(() => {
    clock = fakeClock();
    api = createMemoryApi({ clock });
    leading = [];
  });

  function candidate(identity: string, client = api.client) {
    const stop = new AbortController();
    const done = runAsLeader({ client, clock, log: silentLog, lease, identity }, stop.signal, async signal => {
      leading.push(identity);
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
      leading.splice(leading.indexOf(identity), 1);
    });
    done.catch(() => undefined);
    return { done, stop: () => stop.abort() };
  }

  test('exactly one of several candidates is the leader', async () => {
    const candidates = ['a', 'b', 'c'].map(identity => candidate(identity));
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(minutes(1));
      assert.equal(leading.length, 1);
    }
    for (const one of candidates) one.stop();
    await clock.advance(seconds(5));
    await Promise.all(candidates.map(({ done }) => done));
    assert.deepEqual(leading, []);
  });

  test('a stopping leader releases its Lease, and the next candidate does not wait for its expiry', async () => {
    const first = candidate('a');
    await clock.advance(seconds(1));
    const second = candidate('b');
    await clock.advance(seconds(1));
    first.stop();
    await clock.advance(seconds(4));
    assert.deepEqual(leading, ['b']);
    assert.equal((await api.client.get(leases, lease)).spec?.leaseTransitions, 1);
    second.stop();
    await clock.advance(seconds(3));
  });

  test('a candidate replaces a dead leader only after its Lease has expired', async () => {
    const now = new Date(clock.now()).toISOString().replace('Z', '000Z');
    const spec = {
      holderIdentity: 'dead',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    };
    await api.client.create(leases, { metadata: lease, spec });
    const second = candidate('b');
    await clock.advance(seconds(14));
    assert.deepEqual(leading, []);
    await clock.advance(seconds(5));
    assert.deepEqual(leading, ['b']);
    second.stop();
    await clock.advance(seconds(3));
  });

  test('a leader that cannot renew its Lease stops leading before it expires', async () => {
    const cutOff = createMemoryApi({ clock });
    await cutOff.client.create(leases, { metadata: lease, spec: {} });
    const first = candidate('a', cutOff.client);
    await clock.advance(seconds(3));
    assert.deepEqual(leading, ['a']);
    cutOff.faults.failNext({ status: 500, times: 10_000 });
    await clock.advance(seconds(14));
    assert.deepEqual(leading, []);
    await assert.rejects(first.done, LeadershipLost);
  });

  test('a conflict on the leader election Lease is retried', async () => {
    api.faults.failNext({ match: { method: 'PUT' }, status: 409, reason: 'Conflict' });
    await api.client.create(leases, { metadata: lease, spec: {} });
    const first = candidate('a');
    await clock.advance(seconds(1));
    assert.deepEqual(leading, []);
    await clock.advance(seconds(3));
    assert.deepEqual(leading, ['a']);
    first.stop();
    await clock.advance(seconds(3));
  });
});
