import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { createClient } from '@scaleway/sdk-client';
import type { JournalEntry } from './journal.ts';
import { m1, root } from './mac/mac.ts';
import { execute } from './mac/shell/execute.ts';
import { startWorld, type World } from './world.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-world-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

async function withWorld<T>(seed: string, use: (world: World, clock: FakeClock) => Promise<T>): Promise<T> {
  const clock = fakeClock();
  const world = await startWorld({ hosts: 3, seed, clock, directory });
  try {
    return await use(world, clock);
  } finally {
    await world.close();
  }
}

const serversOf = (world: World): Applesiliconv1alpha1.API =>
  new Applesiliconv1alpha1.API(createClient({ ...world.scaleway.apiFor() }));

/** A short scenario with Macs, vendor and faults. */
const story = (seed: string): Promise<readonly JournalEntry[]> =>
  withWorld(seed, async (world, clock) => {
    world.deps.faults.add({
      place: /^mac\//,
      kind: 'file write',
      probability: 0.2,
      fault: { type: 'fail', code: 28, message: 'ENOSPC' },
    });
    for (const { host } of world.pool()) {
      for (let number = 0; number < 5; number++) await execute(host.mac, `echo ${number} > /tmp/${number}; sw_vers`);
    }
    const [first] = world.scaleway.console.servers();
    await serversOf(world).updateServer({ serverId: first?.id ?? '', name: 'claimed' });
    await serversOf(world).reinstallServer({ serverId: first?.id ?? '' });
    await clock.advance(minutes(30));
    return world.deps.journal.entries;
  });

test('world: the same seed gives the same journal, another seed another', async () => {
  const [one, again, other] = [await story('one'), await story('one'), await story('other')];
  assert.ok(one.length > 20, `${one.length} entries`);
  assert.deepEqual(again, one);
  assert.notDeepEqual(other, one);
});

test('world: a reinstalled Mac is empty, has a new host key and password, and keeps its port', async () => {
  await withWorld('reinstall', async (world, clock) => {
    const [before] = world.pool();
    assert.ok(before);
    await execute(before.host.mac, 'touch /Users/m1/leftover');
    const hostKey = before.host.mac.files.read(root, '/etc/ssh/ssh_host_ed25519_key.pub');
    await serversOf(world).reinstallServer({ serverId: before.host.serverId });
    await clock.advance(minutes(30));
    const after = world.hosts.all.get(before.host.serverId);
    assert.ok(after && after !== before.host);
    assert.equal(after.mac.files.exists(m1, '/Users/m1/leftover'), false);
    assert.notDeepEqual(after.mac.files.read(root, '/etc/ssh/ssh_host_ed25519_key.pub'), hostKey);
    assert.notEqual(after.mac.options.password, before.host.mac.options.password);
    assert.equal(after.ssh.port, before.host.ssh.port);
  });
});

test('world: every Mac of the pool accepts the project key through scw_authorized_keys', async () => {
  await withWorld('keys', async world => {
    for (const { host } of world.pool()) {
      assert.match(host.mac.files.read(m1, '/Users/m1/.ssh/scw_authorized_keys').toString(), /^ssh-ed25519 /);
    }
  });
});

test('world: each installation prepares the Mac again, and a file lists every SSH address', async () => {
  const prepared: string[] = [];
  const clock = fakeClock();
  const brief = { least: minutes(1), most: minutes(1) };
  const world = await startWorld({
    hosts: 2,
    seed: 'prepared',
    clock,
    directory,
    address: number => `10.9.0.${number}`,
    vendor: { reinstallation: brief },
    prepareMac: (_mac, { id, ip }) => void prepared.push(`${id} ${ip}`),
  });
  try {
    const [first] = world.scaleway.console.servers();
    await serversOf(world).reinstallServer({ serverId: first?.id ?? '' });
    await clock.advance(minutes(1));
    assert.deepEqual(prepared.filter(line => line === `${first?.id} 10.9.0.1`).length, 2);
    const addresses = JSON.parse(readFileSync(world.sshAddressFile, 'utf8')) as Record<string, string>;
    const { ssh } = world.hosts.all.get(first?.id ?? '') ?? {};
    assert.equal(addresses[first?.id ?? ''], `${ssh?.host}:${ssh?.port}`);
    assert.equal(Object.keys(addresses).length, 2);
  } finally {
    await world.close();
  }
});
