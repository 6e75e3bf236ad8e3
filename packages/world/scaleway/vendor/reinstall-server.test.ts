import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { Errors } from '@scaleway/sdk-client';
import { recordingMachines } from '../testing/recording-machines.ts';
import { startTestScaleway } from '../testing/start-test-scaleway.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICJEoOOgQBLJPs4g/XcPTKT82NywNPpxeuA20FlOPlpO';

test('reinstall: id, name and address stay, password and host key change', async () => {
  const machines = recordingMachines();
  await using world = await startTestScaleway({ machines });
  const before = await world.console.addServer({ name: 'pool-1', image: 'macos-sonoma-14.6' });
  const started = await world.servers.reinstallServer({ serverId: before.id });
  assert.deepEqual([started.status, started.delivered, started.os?.name], ['reinstalling', true, 'macos-tahoe-26.6.1']);
  await world.clock.advance(minutes(4));
  assert.equal(world.console.server(before.id).status, 'reinstalling');
  await world.clock.advance(minutes(11));
  const after = await world.servers.getServer({ serverId: before.id });
  assert.deepEqual([after.status, after.name, after.ip], ['ready', before.name, before.ip]);
  assert.notEqual(after.sudoPassword, before.password);
  assert.equal(world.console.server(before.id).installation, 2);
  assert.deepEqual(machines.calls, ['deliver pool-1', 'power down pool-1', 'reinstall pool-1']);
  assert.equal(machines.installed.at(-1)?.password, after.sudoPassword);
});

test('reinstall: a rename in the meantime is kept', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'claimed' });
  await world.servers.reinstallServer({ serverId });
  await world.servers.updateServer({ serverId, name: 'pool-1' });
  await world.clock.advance(minutes(15));
  const server = await world.servers.getServer({ serverId });
  assert.deepEqual([server.name, server.status], ['pool-1', 'ready']);
});

test('reinstall: a rename while the machine is being set up is kept', async () => {
  const { promise: installed, resolve: finish } = Promise.withResolvers<void>();
  await using world = await startTestScaleway({ machines: { reinstall: () => installed } });
  const { id: serverId } = await world.console.addServer({ name: 'claimed' });
  await world.servers.reinstallServer({ serverId });
  await world.clock.advance(minutes(15));
  assert.equal((await world.servers.updateServer({ serverId, name: 'pool-1' })).status, 'reinstalling');
  finish();
  await world.clock.settle();
  const { name, status } = world.console.server(serverId);
  assert.deepEqual([name, status], ['pool-1', 'ready']);
});

test('servers: a second transition is rejected with the current state', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  await world.servers.reinstallServer({ serverId });
  for (const attempt of [
    () => world.servers.reinstallServer({ serverId }),
    () => world.servers.rebootServer({ serverId }),
    () => world.servers.deleteServer({ serverId }),
  ]) {
    await assert.rejects(attempt(), (error: Error) => {
      assert.ok(error instanceof Errors.TransientStateError);
      assert.deepEqual([error.status, error.currentState, error.resourceId], [409, 'reinstalling', serverId]);
      return true;
    });
  }
});

test('reinstall: the project keys are installed at delivery and again after a wipe', async () => {
  const machines = recordingMachines();
  await using world = await startTestScaleway({ machines });
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  await world.iam.createSSHKey({ name: 'fleet', publicKey: `${KEY} someone@somewhere` });
  assert.deepEqual(machines.installed.at(-1)?.sshKeys, []);
  await world.servers.reinstallServer({ serverId });
  await world.clock.advance(minutes(15));
  assert.deepEqual(machines.installed.at(-1)?.sshKeys, [KEY]);
});

test('reinstall: the vendor can be configured not to inject keys after a wipe', async () => {
  const machines = recordingMachines();
  const injectSshKeys = { onReinstall: false, onReboot: false };
  await using world = await startTestScaleway({ machines, settings: { injectSshKeys } });
  await world.iam.createSSHKey({ name: 'fleet', publicKey: KEY });
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  await world.servers.reinstallServer({ serverId });
  await world.clock.advance(minutes(15));
  assert.deepEqual(
    machines.installed.map(({ sshKeys }) => sshKeys.length),
    [1, 0],
  );
});

test('reinstall: a server delivered with DevOS is rejected', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'runner', image: 'devos-sequoia-15.6' });
  await assert.rejects(world.servers.reinstallServer({ serverId }), Errors.PreconditionFailedError);
});

test('servers: a locked server allows no operation', async () => {
  await using world = await startTestScaleway();
  const { id: serverId } = await world.console.addServer({ name: 'pool-1' });
  world.console.setStatus(serverId, 'locked');
  await assert.rejects(world.servers.updateServer({ serverId, name: 'x' }), Errors.ResourceLockedError);
});
