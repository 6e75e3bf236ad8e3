import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { recordingMachines } from '../testing/recording-machines.ts';
import { startTestScaleway } from '../testing/start-test-scaleway.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICJEoOOgQBLJPs4g/XcPTKT82NywNPpxeuA20FlOPlpO';

test('reboot: a reboot takes one to two minutes and keeps the installation', async () => {
  const machines = recordingMachines();
  await using world = await startTestScaleway({ machines });
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  assert.equal((await world.servers.rebootServer({ serverId })).status, 'rebooting');
  await world.clock.advance(minutes(2));
  assert.deepEqual([world.console.server(serverId).status, world.console.server(serverId).installation], ['ready', 1]);
  assert.deepEqual(machines.calls, ['deliver pool-1', 'reboot pool-1']);
});

test('reboot: a machine that does not return leaves its server in status error', async () => {
  const machines = { reboot: () => Promise.reject(new Error('no picture on the screen')) };
  await using world = await startTestScaleway({ machines });
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  await world.servers.rebootServer({ serverId });
  await world.clock.advance(minutes(2));
  assert.equal((await world.servers.getServer({ serverId })).status, 'error');
  assert.ok(world.journal.entries.some(entry => entry.detail.includes('no picture on the screen')));
});

test('reboot: the vendor can be configured to inject the project keys at every start', async () => {
  const machines = recordingMachines();
  const injectSshKeys = { onReinstall: true, onReboot: true };
  await using world = await startTestScaleway({ machines, settings: { injectSshKeys } });
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  await world.iam.createSSHKey({ name: 'fleet', publicKey: KEY });
  await world.servers.rebootServer({ serverId });
  await world.clock.advance(minutes(2));
  assert.deepEqual(machines.injected, [KEY]);
});
