import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { Errors } from '@scaleway/sdk-client';
import type { Fault } from '../../faults/fault-plan.ts';
import { clientsOf, startTestScaleway, type TestScaleway } from '../testing/start-test-scaleway.ts';

const ZONE = '/apple-silicon/v1alpha1/zones/fr-par-1';
const order = { type: 'M2-L', enableVpc: false, publicBandwidthBps: 0, name: 'mini' };

const strikeOnce = (world: TestScaleway, detail: string, fault: Fault): void =>
  world.faults.add({ place: 'scaleway', kind: 'request', detail, times: 1, fault });

test('gateway: unknown and malformed tokens are denied', async () => {
  await using world = await startTestScaleway();
  const { servers } = clientsOf({ ...world.apiFor(), secretKey: '11111111-1111-4111-8111-111111111111' });
  await assert.rejects(servers.listServerTypes({}), (error: Error) => {
    assert.ok(error instanceof Errors.DeniedAuthenticationError);
    assert.deepEqual([error.status, error.reason], [401, 'not_found']);
    return true;
  });
  assert.equal((await fetch(`${world.url}${ZONE}/os`)).status, 401);
});

test('gateway: servers of another project are neither listed nor shown', async () => {
  await using world = await startTestScaleway({ projects: [{ name: 'ours' }, { name: 'theirs' }] });
  const { id: serverId } = await world.console.addServer({ name: 'mini', project: 'theirs' });
  const [ours, theirs] = [world.apiFor('ours'), world.apiFor('theirs')];
  assert.equal((await world.servers.listServers({ projectId: ours.defaultProjectId })).totalCount, 0);
  const { PermissionsDeniedError } = Errors;
  await assert.rejects(world.servers.listServers({ projectId: theirs.defaultProjectId }), PermissionsDeniedError);
  await assert.rejects(world.servers.listServers({}), PermissionsDeniedError);
  await assert.rejects(world.servers.getServer({ serverId }), PermissionsDeniedError);
});

test('gateway: a lost response leaves the order in place, and the retry orders again', async () => {
  await using world = await startTestScaleway();
  strikeOnce(world, `POST ${ZONE}/servers`, { type: 'drop', when: 'after' });
  await assert.rejects(world.servers.createServer(order), TypeError);
  await world.servers.createServer(order);
  assert.deepEqual(
    world.console.servers().map(server => server.name),
    ['mini', 'mini'],
  );
});

test('gateway: a response cut in the middle fails although the rename happened', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  strikeOnce(world, `PATCH ${ZONE}/servers/${serverId}`, { type: 'drop', when: 'during' });
  await assert.rejects(world.servers.updateServer({ serverId, name: 'claimed' }));
  assert.equal(world.console.server(serverId).name, 'claimed');
});

test('gateway: a connection dropped before the request changes nothing', async () => {
  await using world = await startTestScaleway();
  strikeOnce(world, `POST ${ZONE}/servers`, { type: 'drop', when: 'before' });
  await assert.rejects(world.servers.createServer(order), TypeError);
  assert.deepEqual(world.console.servers(), []);
});

test('gateway: a bad gateway responds in HTML, the API itself in JSON', async () => {
  await using world = await startTestScaleway();
  strikeOnce(world, `GET ${ZONE}/server-types`, { type: 'fail', code: 502, message: 'Bad Gateway' });
  await assert.rejects(world.servers.listServerTypes({}), (error: Error) => {
    assert.ok(error instanceof Errors.ScalewayError);
    assert.equal(error.status, 502);
    assert.match(error.message, /^http error 502: <html>/);
    return true;
  });
  strikeOnce(world, `GET ${ZONE}/server-types`, { type: 'fail', code: 500, message: 'internal error' });
  await assert.rejects(world.servers.listServerTypes({}), { status: 500, rawMessage: 'internal error' });
});

test('gateway: requests above the rate limit are rejected until the window ends', async () => {
  await using world = await startTestScaleway({ settings: { rateLimit: { quota: 2, window: seconds(1) } } });
  await world.servers.listServerTypes({});
  await world.servers.listServerTypes({});
  await assert.rejects(world.servers.listServerTypes({}), (error: Error) => {
    assert.ok(error instanceof Errors.TooManyRequestsError);
    assert.deepEqual([error.status, error.limit?.quota, error.resetSeconds], [429, 2, 1]);
    return true;
  });
  await world.clock.advance(seconds(1));
  await world.servers.listServerTypes({});
});

test('gateway: a delayed response waits for the simulated clock', async () => {
  await using world = await startTestScaleway();
  strikeOnce(world, `GET ${ZONE}/server-types`, { type: 'delay', by: minutes(1) });
  let answered = false;
  const asked = world.servers.listServerTypes({}).then(() => {
    answered = true;
  });
  await eventually(() => world.clock.pending > 0);
  assert.equal(answered, false);
  await world.clock.advance(minutes(1));
  await asked;
});

test('gateway: a hanging request ends with the client’s timeout and changes nothing', async () => {
  await using world = await startTestScaleway();
  strikeOnce(world, `POST ${ZONE}/servers`, { type: 'hang' });
  const patience = new AbortController();
  const asked = fetch(`${world.url}${ZONE}/servers`, {
    method: 'POST',
    headers: { 'x-auth-token': world.apiFor().secretKey },
    body: '{}',
    signal: patience.signal,
  });
  await eventually(() => world.journal.entries.some(entry => entry.what === 'fault'));
  patience.abort();
  await assert.rejects(asked, { name: 'AbortError' });
  assert.deepEqual(world.console.servers(), []);
});

test('gateway: a body that is not JSON is rejected', async () => {
  await using world = await startTestScaleway();
  const answer = await fetch(`${world.url}${ZONE}/servers`, {
    method: 'POST',
    headers: { 'x-auth-token': world.apiFor().secretKey },
    body: '{"name":',
  });
  assert.equal(answer.status, 400);
});

test('gateway: a connection can be dropped before the request is sent', async () => {
  await using world = await startTestScaleway();
  world.faults.add({ place: 'scaleway', kind: 'connect', times: 1, fault: { type: 'drop', when: 'before' } });
  await assert.rejects(world.servers.listServerTypes({}), TypeError);
  await world.servers.listServerTypes({});
});
