import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { startTestScaleway } from '../testing/start-test-scaleway.ts';

const order = { type: 'M2-L', enableVpc: false, publicBandwidthBps: 0 };

test('passwords: the response to a write is sealed, the next read shows the password', async () => {
  await using world = await startTestScaleway();
  const { id: serverId, ...ordered } = await world.servers.createServer(order);
  assert.deepEqual([ordered.sudoPassword, ordered.vncUrl], ['<sealed>', '<sealed>']);
  const read = await world.servers.getServer({ serverId });
  assert.match(read.sudoPassword, /^[A-Za-z0-9]{12}$/);
  assert.equal(read.vncUrl, `vnc://m1:${read.sudoPassword}@${read.ip}:59010`);
});

test('passwords: hours later sudo_password is <sealed>, and only the VNC URL has the password', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.servers.createServer(order);
  await world.clock.advance(minutes(5 * 60));
  const { sudoPassword } = await world.servers.getServer({ serverId });
  await world.clock.advance(minutes(2 * 60));
  const later = await world.servers.getServer({ serverId });
  assert.equal(later.sudoPassword, '<sealed>');
  assert.equal(new URL(later.vncUrl).password, sudoPassword);
});

test('passwords: a server ordered two days ago shows none; a reinstallation shows the new one', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  assert.equal((await world.servers.getServer({ serverId })).sudoPassword, '<sealed>');
  await world.servers.reinstallServer({ serverId });
  await world.clock.advance(minutes(15));
  assert.equal((await world.servers.getServer({ serverId })).sudoPassword, world.console.server(serverId).password);
});

test('servers: the JSON has the fields of the real API and escaped angle brackets', async () => {
  await using world = await startTestScaleway();
  const { id } = await world.console.addServer({ name: 'pool-1' });
  const answer = await fetch(`${world.url}/apple-silicon/v1alpha1/zones/fr-par-1/servers/${id}`, {
    headers: { 'x-auth-token': world.apiFor().secretKey },
  });
  const text = await answer.text();
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.match(text, /"sudo_password":"\\u003csealed\\u003e"/);
  const server = JSON.parse(text) as Record<string, unknown>;
  // Field names of a server recorded on 2026-03-05.
  const recorded = `applied_runner_configuration_ids commitment created_at deletable_at deletion_scheduled delivered id ip
    name organization_id os project_id public_bandwidth_bps runner_configuration ssh_username status sudo_password tags
    type updated_at vnc_port vnc_url vpc_status zone`;
  assert.deepEqual(Object.keys(server), recorded.split(/\s+/));
  assert.match(String(server['created_at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});
