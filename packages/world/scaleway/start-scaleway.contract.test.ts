import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, systemClock } from '@minifleet/clock';
import { createChance } from '../chance.ts';
import { createFaultPlan } from '../faults/fault-plan.ts';
import { createJournal } from '../journal.ts';
import { startScaleway } from './start-scaleway.ts';
import { clientsOf } from './testing/start-test-scaleway.ts';

/** The SDK's waiter sleeps for at least one real second, so this test uses the real clock. */
test('the SDK’s waitForServer returns when the server is ready', async () => {
  const chance = createChance('contract');
  const deps = {
    clock: systemClock,
    chance,
    faults: createFaultPlan(chance),
    journal: createJournal(systemClock),
  };
  const brief = { least: milliseconds(500), most: milliseconds(500) };
  const scaleway = await startScaleway({ deps, settings: { reinstallation: brief } });
  try {
    const { servers } = clientsOf(scaleway.apiFor());
    const { id: serverId } = await scaleway.console.addServer({ name: 'pool-1' });
    await servers.reinstallServer({ serverId });
    const server = await servers.waitForServer({ serverId }, { minDelay: 1, maxDelay: 1, timeout: 10 });
    assert.equal(server.status, 'ready');
  } finally {
    await scaleway.close();
  }
});
