import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { Errors } from '@scaleway/sdk-client';
import { startTestScaleway } from '../testing/start-test-scaleway.ts';

test('catalogue: images are filtered by name and hardware, with the types that have fast delivery', async () => {
  await using world = await startTestScaleway();
  const { os, totalCount } = await world.servers.listOS({ name: 'tahoe', serverType: 'M2-L' });
  assert.deepEqual([os.map(image => image.version), totalCount], [['26.0', '26.3', '26.6.1'], 3]);
  const newest = os.at(-1);
  const fast = newest?.supportedServerTypes.find(({ serverType }) => serverType === 'M2-L');
  assert.deepEqual([newest?.family, fast?.fastDeliveryAvailable], ['Tahoe', true]);
  // As recorded, a single image lists no hardware.
  assert.deepEqual((await world.servers.getOS({ osId: newest?.id ?? '' })).supportedServerTypes, []);
});

test('catalogue: every server type has its hardware, stock and default image', async () => {
  await using world = await startTestScaleway();
  const { serverTypes } = await world.servers.listServerTypes({});
  const type = serverTypes.find(({ name }) => name === 'M2-L');
  assert.deepEqual(
    [type?.cpu?.name, type?.memory?.capacity, type?.stock, type?.minimumLeaseDuration, type?.defaultOs?.name],
    ['Apple M2 Pro', 16_000_000_000, 'high_stock', '86400s', 'macos-tahoe-26.6.1'],
  );
});

test('I31 an exact image is retired: released hosts get another, and no host matches the pin again', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'claimed', image: 'macos-tahoe-26.3' });
  const pinned = world.console.server(serverId).os.id;
  world.console.retireImage('macos-tahoe-26.3');

  assert.deepEqual((await world.servers.listOS({ name: 'macos-tahoe-26.3' })).os, []);
  await assert.rejects(world.servers.getOS({ osId: pinned }), Errors.ResourceNotFoundError);
  await assert.rejects(world.servers.reinstallServer({ serverId, osId: pinned }), Errors.ResourceNotFoundError);
  // A running host keeps showing the image it has.
  assert.equal((await world.servers.getServer({ serverId })).os?.name, 'macos-tahoe-26.3');

  await world.servers.updateServer({ serverId, name: 'pool-1' });
  await world.servers.reinstallServer({ serverId });
  await world.clock.advance(minutes(15));
  const { servers } = await world.servers.listServers({ projectId: world.apiFor().defaultProjectId });
  const ready = servers.filter(server => server.status === 'ready');
  assert.deepEqual(
    ready.filter(server => server.os?.name === 'macos-tahoe-26.3'),
    [],
  );
  assert.deepEqual(
    ready.filter(server => server.os?.family === 'Tahoe').map(server => server.id),
    [serverId],
  );
});

test('I31 when the default image is retired, its server types move on to their newest image', async () => {
  await using world = await startTestScaleway();
  world.console.retireImage('macos-tahoe-26.6.1');
  const { defaultOs } = await world.servers.getServerType({ serverType: 'M4-S' });
  assert.equal(defaultOs?.name, 'macos-tahoe-26.3');
});

test('catalogue: a published image can become the default', async () => {
  await using world = await startTestScaleway();
  const [image] = world.console.catalogue().images;
  assert.ok(image);
  const beta = {
    ...image,
    id: '1',
    name: 'macos-golden-gate-27.0',
    family: 'Golden Gate',
    version: '27.0',
    beta: true,
  };
  world.console.publishImage(beta, ['M4-S']);
  assert.equal((await world.servers.getServerType({ serverType: 'M4-S' })).defaultOs?.name, beta.name);
  assert.equal((await world.servers.getServerType({ serverType: 'M2-L' })).defaultOs?.name, 'macos-tahoe-26.6.1');
});

test('catalogue: an image for other hardware is rejected', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1', type: 'M4-S' });
  const { os } = await world.servers.listOS({ name: 'devos' });
  const attempt = world.servers.reinstallServer({ serverId, osId: os[0]?.id ?? '' });
  await assert.rejects(attempt, Errors.InvalidArgumentsError);
});
