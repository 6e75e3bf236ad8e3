import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { Errors } from '@scaleway/sdk-client';
import { startTestScaleway } from '../testing/start-test-scaleway.ts';

test('servers: the SDK pages through more servers than fit one page, in creation order', async () => {
  await using world = await startTestScaleway();
  for (let number = 1; number <= 230; number++) {
    await world.console.addServer({ name: `mini-${number}`, age: minutes(2_000 - number) });
  }
  const projectId = world.apiFor().defaultProjectId;
  const first = await world.servers.listServers({ projectId, pageSize: 100 });
  assert.deepEqual([first.servers.length, first.totalCount], [100, 230]);
  const all = await world.servers.listServers({ projectId, pageSize: 100 }).all();
  assert.deepEqual(
    all.map(server => server.name),
    Array.from({ length: 230 }, (_, index) => `mini-${index + 1}`),
  );
  const newest = await world.servers.listServers({ projectId, pageSize: 1, orderBy: 'created_at_desc' });
  assert.equal(newest.servers[0]?.name, 'mini-230');
});

test('servers: a page size above 100 is rejected with the name of the argument', async () => {
  await using world = await startTestScaleway();
  const listing = world.servers.listServers({ projectId: world.apiFor().defaultProjectId, pageSize: 101 });
  await assert.rejects(listing, (error: Error) => {
    assert.ok(error instanceof Errors.InvalidArgumentsError);
    assert.equal(error.details[0]?.argumentName, 'page_size');
    return true;
  });
});

test('servers: an unknown filter is ignored and recorded as a gap', async () => {
  await using world = await startTestScaleway();
  await world.console.addServer({ name: 'mini-1' });
  const { url, secretKey, defaultProjectId } = { ...world, ...world.apiFor() };
  const path = `/apple-silicon/v1alpha1/zones/fr-par-1/servers?project_id=${defaultProjectId}&name=other`;
  const answer = await fetch(url + path, { headers: { 'x-auth-token': secretKey } });
  assert.equal(((await answer.json()) as { total_count: number }).total_count, 1);
  assert.match(world.journal.gaps[0]?.detail ?? '', /\?name$/);
});

test('servers: a deleted server returns 403, as the real API does', async () => {
  await using world = await startTestScaleway();
  const serverId = world.apiFor().defaultProjectId;
  await assert.rejects(world.servers.getServer({ serverId }), (error: Error) => {
    assert.ok(error instanceof Errors.PermissionsDeniedError);
    assert.equal(error.message, 'insufficient permissions: read server');
    return true;
  });
});

test('servers: the vendor can be configured to return 404 for a deleted server', async () => {
  await using world = await startTestScaleway({ settings: { unknownServer: 'not found' } });
  const serverId = world.apiFor().defaultProjectId;
  await assert.rejects(world.servers.getServer({ serverId }), Errors.ResourceNotFoundError);
});
