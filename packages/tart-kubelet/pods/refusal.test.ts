import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { openPodsBench } from './testing/pods-bench.ts';

test('a rejected Pod fails with a reason and an event, never runs, and can be deleted', async () => {
  await using bench = await openPodsBench();
  await bench.create('one', { hostPID: true });
  await bench.until(async () => (await bench.phase('one')) === 'Failed');
  const status = (await bench.get('one'))?.status;
  assert.equal(status?.reason, 'HostPIDNotSupported');
  assert.equal(status?.containerStatuses, undefined);
  assert.deepEqual(
    bench.events.map(({ type, reason }) => [type, reason]),
    [['Warning', 'HostPIDNotSupported']],
  );
  await bench.advance(minutes(10));
  assert.equal(bench.guests.started.length, 0);
  await bench.delete('one');
  await bench.until(async () => (await bench.get('one')) === undefined);
});

test('an admitted Pod keeps running after an agent restart, even if it would no longer fit', async () => {
  let cpu = '8';
  const node = () => ({ name: 'mac-1', labels: {}, allocatable: { cpu, pods: '10' }, addresses: [] });
  await using bench = await openPodsBench({ options: { node } });
  await bench.create('one', { container: { resources: { requests: { cpu: '6' } } } });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  cpu = '4';
  await bench.restart();
  await bench.create('two', { container: { resources: { requests: { cpu: '1' } } } });
  await bench.until(async () => (await bench.phase('two')) === 'Failed');
  assert.equal(await bench.phase('one'), 'Running');
});
