import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { Errors } from '@scaleway/sdk-client';
import { startTestScaleway } from '../testing/start-test-scaleway.ts';

const HOURS = 60;

test('I13 a rename has no precondition and the last writer wins: two claimers of one host both succeed', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  const [one, other] = await Promise.all([
    world.servers.updateServer({ serverId, name: 'claimed-by-bzd26' }),
    world.servers.updateServer({ serverId, name: 'claimed-by-ffjpx' }),
  ]);
  assert.deepEqual([one.name, other.name].sort(), ['claimed-by-bzd26', 'claimed-by-ffjpx']);
  const renames = world.journal.entries.filter(entry => entry.what === 'rename server');
  assert.equal(renames.length, 2);
  const last = renames.at(-1)?.detail.split(' -> ')[1];
  assert.equal((await world.servers.getServer({ serverId })).name, last);
});

test('I13 two servers may have the same name', async () => {
  await using world = await startTestScaleway();
  await world.console.addServer({ name: 'pool-1' });
  const { id: serverId } = await world.console.addServer({ name: 'pool-2' });
  await world.servers.updateServer({ serverId, name: 'pool-1' });
  const { servers } = await world.servers.listServers({ projectId: world.apiFor().defaultProjectId });
  assert.deepEqual(
    servers.map(server => server.name),
    ['pool-1', 'pool-1'],
  );
});

test('I12 a server cannot be deleted before Apple’s licence allows it, and the error says until when', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1', age: minutes(HOURS) });
  await assert.rejects(world.servers.deleteServer({ serverId }), (error: Error) => {
    assert.ok(error instanceof Errors.PreconditionFailedError);
    assert.equal(error.status, 412);
    assert.match(error.helpMessage, /^this server cannot be deleted before 2030-01-01 23:00:00$/);
    return true;
  });
  await world.clock.advance(minutes(23 * HOURS));
  await world.servers.deleteServer({ serverId });
  assert.deepEqual(world.console.servers(), []);
});

test('I12 a server with a monthly commitment cannot be deleted for weeks', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1', commitment: 'renewed_monthly' });
  await world.clock.advance(minutes(7 * 24 * HOURS));
  await assert.rejects(world.servers.deleteServer({ serverId }), Errors.PreconditionFailedError);
});

test('servers: a scheduled deletion happens when the licence allows it, unless it is cancelled', async () => {
  await using world = await startTestScaleway();
  const going = await world.console.addServer({ name: 'going', age: minutes(0) });
  const staying = await world.console.addServer({ name: 'staying', age: minutes(0) });
  for (const { id } of [going, staying]) {
    assert.equal((await world.servers.updateServer({ serverId: id, scheduleDeletion: true })).deletionScheduled, true);
  }
  await world.servers.updateServer({ serverId: staying.id, scheduleDeletion: false });
  await world.clock.advance(minutes(24 * HOURS));
  assert.deepEqual(
    world.console.servers().map(server => server.name),
    ['staying'],
  );
});

test('servers: deleting a server cancels its pending transitions', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1', age: minutes(23 * HOURS) });
  await world.servers.updateServer({ serverId, scheduleDeletion: true });
  await world.clock.advance(minutes(HOURS - 1));
  await world.servers.rebootServer({ serverId });
  await world.clock.advance(minutes(1));
  assert.deepEqual([world.console.servers().length, world.clock.pending], [0, 0]);
});
