import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { Errors } from '@scaleway/sdk-client';
import { startTestScaleway } from '../testing/start-test-scaleway.ts';

const order = { type: 'M2-L', enableVpc: false, publicBandwidthBps: 0 };
const HOURS = 60;

test('orders: an ordered server is listed at once and delivered minutes later', async () => {
  await using world = await startTestScaleway();
  const ordered = await world.servers.createServer({
    ...order,
    name: 'pool-1',
    projectId: world.apiFor().defaultProjectId,
  });
  assert.deepEqual([ordered.status, ordered.delivered, ordered.name], ['starting', false, 'pool-1']);
  assert.equal(ordered.os?.name, 'macos-tahoe-26.6.1');
  assert.equal(ordered.deletableAt?.getTime(), world.clock.now() + 24 * HOURS * 60_000);
  await world.clock.advance(minutes(4));
  const delivered = await world.servers.getServer({ serverId: ordered.id });
  assert.deepEqual([delivered.status, delivered.delivered], ['ready', true]);
  assert.deepEqual(world.journal.gaps, []);
});

test('orders: an image other than the default takes longer to deliver', async () => {
  await using world = await startTestScaleway();
  const { os } = await world.servers.listOS({ name: 'sonoma', serverType: 'M2-L' });
  const ordered = await world.servers.createServer({ ...order, osId: os[0]?.id ?? '' });
  await world.clock.advance(minutes(4));
  assert.equal((await world.servers.getServer({ serverId: ordered.id })).status, 'starting');
  await world.clock.advance(minutes(20));
  assert.equal((await world.servers.getServer({ serverId: ordered.id })).status, 'ready');
});

test('orders: an order without stock is rejected, and a returned server is in stock again', async () => {
  await using world = await startTestScaleway();
  world.console.setStock('M2-L', 1);
  const { id: serverId } = await world.servers.createServer({ ...order, name: 'last' });
  assert.equal((await world.servers.getServerType({ serverType: 'M2-L' })).stock, 'no_stock');
  await assert.rejects(world.servers.createServer(order), (error: Error) => {
    assert.ok(error instanceof Errors.OutOfStockError);
    assert.deepEqual([error.status, error.resource], [503, 'M2-L']);
    return true;
  });
  await world.clock.advance(minutes(25 * HOURS));
  await world.servers.deleteServer({ serverId });
  assert.equal((await world.servers.getServerType({ serverType: 'M2-L' })).stock, 'low_stock');
});

test('orders: a batch is ordered completely or not at all', async () => {
  await using world = await startTestScaleway();
  world.console.setStock('M2-L', 2);
  const batch = { ...order, requests: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] };
  await assert.rejects(world.servers.batchCreateServers(batch), Errors.OutOfStockError);
  assert.equal(world.console.servers().length, 0);
  const { servers } = await world.servers.batchCreateServers({ ...batch, requests: [{ name: 'a' }, { name: 'b' }] });
  assert.deepEqual(
    servers.map(server => server.name),
    ['a', 'b'],
  );
});

test('orders: a project cannot exceed its quota', async () => {
  await using world = await startTestScaleway({ projects: [{ name: 'default', quota: 1 }] });
  await world.console.addServer({ name: 'pool-1' });
  await assert.rejects(world.servers.createServer(order), (error: Error) => {
    assert.ok(error instanceof Errors.QuotasExceededError);
    assert.deepEqual([error.status, error.list[0]?.quota, error.list[0]?.current], [403, 1, 1]);
    return true;
  });
});

test('orders: without a name the SDK generates one', async () => {
  await using world = await startTestScaleway();
  assert.match((await world.servers.createServer(order)).name, /^as-/);
});

test('orders: unmodelled fields are rejected and recorded as gaps', async () => {
  await using world = await startTestScaleway();
  await assert.rejects(world.servers.createServer({ ...order, enableVpc: true }), Errors.InvalidArgumentsError);
  await assert.rejects(world.servers.startConnectivityDiagnostic({ serverId: 'x' }), { status: 404 });
  assert.equal(world.journal.gaps.length, 2);
});
