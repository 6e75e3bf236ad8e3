import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import type { JournalEntry } from '../journal.ts';
import { startTestScaleway } from './testing/start-test-scaleway.ts';

async function story(): Promise<readonly JournalEntry[]> {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.servers.createServer({
    type: 'M2-L',
    enableVpc: false,
    publicBandwidthBps: 0,
    name: 'a',
  });
  await world.clock.advance(minutes(4));
  await world.servers.reinstallServer({ serverId });
  await world.clock.advance(minutes(15));
  return world.journal.entries;
}

test('scaleway: the same seed gives the same journal, to the millisecond', async () => {
  assert.deepEqual(await story(), await story());
});

test('scaleway: a closed vendor leaves no timer behind', async () => {
  const world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1', age: minutes(0) });
  await world.servers.reinstallServer({ serverId });
  await world.servers.updateServer({ serverId, scheduleDeletion: true });
  assert.equal(world.clock.pending, 2);
  await world.close();
  assert.equal(world.clock.pending, 0);
});
