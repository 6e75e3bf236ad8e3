import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { testHost } from '../testing/test-host.ts';
import { HostLease, parseLease, readLease } from './lease.ts';

test('the lease is readable without sudo and without changes', async () => {
  const { host, clock, journal } = testHost();
  assert.equal(await readLease(host), undefined);
  const lease = new HostLease(host, { holder: 'ada in the office', token: 'abc', onLost: () => undefined });
  await lease.join();
  await clock.advance(seconds(10));
  assert.deepEqual(await readLease(host), { holder: 'ada in the office', held: true, silentFor: 10_000 });
  lease.stop();
  await clock.advance(minutes(3));
  assert.deepEqual(await readLease(host), { holder: 'ada in the office', held: false, silentFor: 190_000 });
  await lease.release();
  assert.equal((await readLease(host))?.held, false);
  assert.deepEqual(journal.gaps, []);
});

test('the lease with the highest number counts, not the last line', () => {
  const text = '1000\n990 10 t ten\n995 9 t nine\nnonsense\n';
  assert.deepEqual(parseLease(text), { holder: 'ten', held: true, silentFor: 10_000 });
});
