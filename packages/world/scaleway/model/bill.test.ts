import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { startTestScaleway } from '../testing/start-test-scaleway.ts';

const HOURS = 60;

test('I22 a server that is never returned keeps running and is billed', async () => {
  await using world = await startTestScaleway();
  const stranded = await world.console.addServer({ name: 'tuist-runners-k6kwt', age: minutes(0) });
  const returned = await world.console.addServer({ name: 'pool-2', age: minutes(24 * HOURS) });
  await world.servers.deleteServer({ serverId: returned.id });
  await world.clock.advance(minutes(10 * 24 * HOURS));
  const [first, second] = world.console.bill();
  assert.deepEqual(first, {
    serverId: stranded.id,
    name: 'tuist-runners-k6kwt',
    type: 'M2-L',
    projectId: stranded.projectId,
    hours: 240,
    euros: 50.4,
    running: true,
  });
  assert.deepEqual([second?.hours, second?.euros, second?.running], [24, 5.04, false]);
});
