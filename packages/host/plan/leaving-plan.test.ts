import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { execute, m1, pfOf, startInternetSharing, tartOf } from '@minifleet/world/mac';
import { startRegistry } from '@minifleet/world/testing';
import { makeWorldDeps } from '@minifleet/world/testing/tart';
import { converge } from '../engine/converge.ts';
import { inspectPlan } from '../engine/inspect.ts';
import { createPlan, type Plan } from '../engine/plan.ts';
import { hasAccess, removeAccess } from '../steps/access/remove-access.ts';
import { authorizedKeyStep } from '../steps/authorized-key/authorized-key.ts';
import { addedTraces, macTraces, type TestHost } from '../testing/index.ts';
import { hostPlan } from './host-plan.ts';
import type { HostSpec } from './host-spec.ts';
import { quiescePlan, releasePlan } from './leaving-plan.ts';
import { fullHost, fullSpec } from './testing/full-spec.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-leaving-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Steps of prepare-fleet-host, and the name. */
const PREPARED = ['sudo', 'auto-login', 'never-sleep', 'hostname'];
const OPERATOR_KEY = 'ssh-rsa AAAAB3 operator\n';
const FLEET_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtMXa fleet desk';

const { builder: _builder, ...nodeFleet } = fullSpec.fleet;
const node: HostSpec = { fleet: nodeFleet, host: fullSpec.host };

/** A Mac as its owner set it up, with a key of the owner. */
function ownedMac(): TestHost {
  const given = fullHost(mkdtempSync(join(directory, 'mac-')));
  given.mac.files.write(m1, '/Users/m1/.ssh/authorized_keys', OPERATOR_KEY, { mode: 0o600 });
  return given;
}

/** Lets the test's time pass only while no call of Tart, which is a real process, is under way. */
async function passed<T>({ mac, clock }: TestHost, work: Promise<T>, pace = 0): Promise<T> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  ended.catch(() => undefined); // the caller awaits the result and gets the rejection
  while (!over) {
    await clock.settle();
    if (tartOf(mac).busy) await setTimeout(5);
    else await clock.advance(seconds(1));
    // A killed VM is a real process, too.
    if (pace > 0) await setTimeout(pace);
  }
  return ended;
}

async function bring(given: TestHost, plan: Plan, pace = 0): Promise<void> {
  const { host, redactor, journal } = given;
  const how = { holder: 'test', allow: 'running VMs', reboot: 'never', redactor } as const;
  const { error } = await passed(given, converge(host, plan, how), pace);
  assert.equal(error?.message, undefined);
  assert.deepEqual(journal.gaps, []);
}

const bootstrap = (given: TestHost, spec: HostSpec): Promise<void> =>
  bring(given, createPlan([authorizedKeyStep({ user: 'm1', publicKey: FLEET_KEY }), ...hostPlan(spec).steps]));

describe('a Mac that leaves Minifleet', () => {
  test('an owned Mac has nothing of Minifleet left after it was released and its access was removed', async () => {
    const given = ownedMac();
    const before = await macTraces(given.mac);
    await bootstrap(given, node);
    assert.ok(addedTraces(before, await macTraces(given.mac)).length > 40);
    await bring(given, releasePlan());
    await passed(given, removeAccess(given.host));
    const now = await macTraces(given.mac);
    assert.deepEqual(addedTraces(before, now), []);
    assert.deepEqual(addedTraces(now, before), []);
  });

  test('a released Mac that was restarted keeps no reference of the running pf ruleset', async () => {
    const given = ownedMac();
    const before = await macTraces(given.mac);
    await bootstrap(given, node);
    await passed(given, given.mac.reboot());
    await bring(given, releasePlan());
    await passed(given, removeAccess(given.host));
    assert.deepEqual(addedTraces(before, await macTraces(given.mac)), []);
  });

  test('a release does not load pf.conf over rules of other programs', async () => {
    const given = ownedMac();
    await bootstrap(given, node);
    await passed(given, given.mac.reboot());
    startInternetSharing(given.mac);
    const before = pfOf(given.mac).rulesets.get('')?.rules;
    await bring(given, releasePlan());
    assert.deepEqual(pfOf(given.mac).rulesets.get('')?.rules, before);
  });

  test('a released owned Mac keeps only the access of its pool and the record for the way back', async () => {
    const given = ownedMac();
    const before = await macTraces(given.mac);
    await bootstrap(given, node);
    await bring(given, releasePlan());
    const kept = addedTraces(before, await macTraces(given.mac)).map(one =>
      one.replace(/ (?:file|directory|link) .*/, ''),
    );
    assert.deepEqual(kept, [
      ' disksleep            0',
      ' displaysleep         0',
      ' sleep                0',
      '/Library/Preferences/.GlobalPreferences.plist',
      '/Library/Preferences/com.apple.loginwindow.plist',
      '/Library/Preferences/com.apple.screensaver.plist',
      '/Users/m1/.ssh/authorized_keys',
      '/private/etc/kcpassword',
      '/private/etc/sudoers.d/m1-nopasswd',
      '/private/var/db/minifleet',
      '/private/var/db/minifleet/before-names',
      '/private/var/db/minifleet/before-sleep',
      '/private/var/db/minifleet/clock',
      '/private/var/db/minifleet/lease.2',
      '/private/var/db/minifleet/ledger.json',
      '/private/var/lib',
      '/private/var/root/Library/Preferences/com.apple.network.local-network.plist',
      '/usr/local/bin',
      '/usr/local/lib',
      '/usr/local/libexec',
    ]);
    const next = await passed(given, inspectPlan(given.host, hostPlan(node)));
    for (const id of ['sudo', 'auto-login', 'never-sleep', 'hostname'])
      assert.equal(next.find(step => step.id === id)?.state, 'current', id);
  });

  test('a released Mac loses the VMs and images of the agent, also a running VM, and keeps those of others', async t => {
    const registry = await startRegistry({ deps: makeWorldDeps() });
    t.after(() => registry.stop());
    for (const name of ['runner', 'foreign']) registry.seedImage(`acme/${name}:1`);
    const given = ownedMac();
    await bootstrap(given, node);
    const { mac } = given;
    tartOf(mac).change({ registries: { 'ghcr.io': registry.url } });
    t.after(() => mac.shutDown());
    const tartCommand = '/usr/local/bin/tart';
    const run = (line: string) => passed(given, execute(mac, line.replace('tart', tartCommand)));
    const ours = ['pod-11111111-1111-4111-8111-111111111111-0', 'pod-22222222-2222-4222-8222-222222222222-3'];
    for (const name of [...ours, 'packer-vm']) await run(`tart create ${name} --from-ipsw latest`);
    for (const name of ['runner', 'foreign']) await run(`tart pull ghcr.io/acme/${name}:1`);
    const images = (await run('tart list --source oci --quiet')).out.split('\n');
    const pulled = images.find(name => name.startsWith('ghcr.io/acme/runner@')) ?? '';
    const record = JSON.stringify({ version: 1, pulling: {}, images: { [pulled]: 1 } });
    mac.files.write(m1, '/var/lib/tart-kubelet/images.json', record);
    const running = execute(mac, `${tartCommand} run ${ours[0]} --no-graphics`);
    await eventually(async () => (await run('tart list --source local --format json')).out.includes('"running"'));

    await bring(given, createPlan(releasePlan().steps.filter(({ id }) => id !== 'tart')), 50);
    assert.notEqual((await running).code, 0);
    assert.equal((await run('tart list --source local --quiet')).out, 'packer-vm\n');
    assert.deepEqual(
      (await run('tart list --source oci --quiet')).out
        .split('\n')
        .filter(name => !/^ghcr\.io\/acme\/foreign[:@]/.test(name)),
      [''],
    );
  });

  test('a builder that left keeps only Homebrew', async () => {
    const given = ownedMac();
    const before = await macTraces(given.mac);
    await bootstrap(given, fullSpec);
    await bring(given, releasePlan());
    await passed(given, removeAccess(given.host));
    const kept = addedTraces(before, await macTraces(given.mac)).filter(one => !one.startsWith('/opt/homebrew'));
    assert.deepEqual(kept, []);
  });

  test('a retained Mac loses its agent, its runner and the credentials of its Node, and keeps the rest', async () => {
    const given = ownedMac();
    await bootstrap(given, fullSpec);
    const before = await macTraces(given.mac);
    await bring(given, quiescePlan());
    const gone = addedTraces(await macTraces(given.mac), before).map(one => one.replace(/ .*/, ''));
    assert.ok(gone.includes('/private/etc/tart-kubelet/kubeconfig'));
    assert.deepEqual(
      gone.filter(path => path.startsWith('/usr/local/lib/tart.app')),
      [],
    );
  });

  for (const when of ['before', 'during', 'after'] as const) {
    test(`a removal of the access whose connection is lost ${when} the command is completed by the next one`, async () => {
      const given = ownedMac();
      const before = await macTraces(given.mac);
      const prepared = hostPlan(node).steps.filter(({ id }) => PREPARED.includes(id));
      await bring(given, createPlan([authorizedKeyStep({ user: 'm1', publicKey: FLEET_KEY }), ...prepared]));
      given.faults.add({ kind: 'command', detail: /remove-access/, fault: { type: 'drop', when }, times: 1 });
      await assert.rejects(passed(given, removeAccess(given.host)), { code: 'HOST_CONNECTION_LOST' });
      // A command whose connection is lost may continue for a moment.
      await given.clock.advance(seconds(30));
      if (await passed(given, hasAccess(given.host))) await passed(given, removeAccess(given.host));
      const now = await macTraces(given.mac);
      assert.deepEqual([addedTraces(before, now), addedTraces(now, before)], [[], []]);
    });
  }
});
