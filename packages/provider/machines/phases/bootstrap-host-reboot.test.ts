import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import type { TestHost } from '@minifleet/host/testing';
import { fullHost, fullSpec } from '@minifleet/host/testing/plan';
import { memoryServer } from '@minifleet/vendors/testing';
import { localNetworkAllowed, m1 } from '@minifleet/world/testing/mac';
import { type BootstrapBench, bootstrapBench } from '../../host-work/testing/bootstrap-bench.ts';
import { because, bootstrapped, statusOf } from '../../host-work/testing/bootstrapped.ts';
import { localNetworkGranted } from '../local-network-granted.ts';
import type { PhaseEnd } from '../phase.ts';
import { type FakeRunners, fakeRunners } from '../testing/fake-parts.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-bootstrap-reboot-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const spec = { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'vm-image-builder' } };
const LIST = '/var/root/Library/Preferences/com.apple.network.local-network.plist';
const NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

interface Builder extends BootstrapBench {
  readonly runners: FakeRunners;
}

async function builder(made = fullHost(directory)): Promise<Builder> {
  const runners: FakeRunners = { ...fakeRunners([]), token: async () => fullSpec.host.runnerToken };
  runners.state = async () => runners.now;
  const bench = await bootstrapBench(made, { fleet: fullSpec.fleet, spec, runners });
  return Object.assign(bench, { runners });
}

async function serving(): Promise<Builder> {
  const bench = await builder();
  await bootstrapped(bench);
  await bench.join();
  return bench;
}

const boots = ({ made }: BootstrapBench): number => made.journal.entries.filter(({ what }) => what === 'boot').length;

/** Packer as a runner starts it: in the session at the screen. */
const packerReachesGuests = ({ mac }: TestHost): boolean =>
  localNetworkAllowed(mac, { program: '/opt/homebrew/bin/packer', session: 'aqua', user: m1 });

const granted = async (bench: BootstrapBench): Promise<string> => {
  const known = { server: memoryServer(1), off: false };
  const { status, reason } = localNetworkGranted(await bench.get(), known) ?? {};
  return `${status} ${reason}`;
};

const waitsForBoot = ({ message = '' }: PhaseEnd): boolean => message.startsWith('active after the next restart');

const wantAll = (bench: BootstrapBench): void => {
  bench.settings = { ...bench.settings, fleet: { ...bench.settings.fleet, localNetwork: NETWORKS } };
};

describe('the Local Network permission of a builder', () => {
  test('I26 takes one boot before its runner is there, and no click', async () => {
    const bench = await builder();
    assert.equal(await granted(bench), 'Unknown NotInspected');
    assert.equal(packerReachesGuests(bench.made), false);
    await bench.live(end => /^step actions-runner/.test(end.message ?? ''));
    assert.equal(boots(bench), 2);
    assert.equal(packerReachesGuests(bench.made), true);
    await bootstrapped(bench);
    assert.deepEqual([await granted(bench), boots(bench)], ['True AllowListActive', 2]);
  });

  test('I26 that a boot does not bring is named; the host is not restarted for it again, here or at the vendor', async () => {
    const made = fullHost(directory);
    // Somebody else writes the setting whenever the Mac boots, so that it always waits for the next boot.
    made.mac.onBoot(() => {
      const { files } = made.mac;
      if (files.exists(made.root, LIST)) files.write(made.root, LIST, files.read(made.root, LIST));
    });
    const bench = await builder(made);
    const first = await bench.live(because('StepWaiting'));
    assert.match(first.message ?? '', /step local-network is still not in effect after a reboot/);
    assert.equal(await granted(bench), 'False RebootIneffective');
    await bench.live(() => bench.effects.some(effect => effect.startsWith('release')));
    assert.match(bench.effects.join(), /failure local-network HostRebootIneffective/);
    assert.equal(boots(bench), 2);
    assert.deepEqual(
      bench.vendor.calls.map(({ call }) => call).filter(call => call === 'reboot'),
      [],
    );
  });

  test('another list on a builder that bakes waits for the bake, then takes one boot', async () => {
    const bench = await serving();
    bench.runners.now = 'busy';
    wantAll(bench);
    await bench.live(because('PlanOutdated'));
    await bench.made.clock.advance(minutes(30));
    await bench.pass();
    assert.deepEqual([await granted(bench), boots(bench)], ['True AllowListActive', 2]);
    bench.runners.now = 'online';
    await bench.live(waitsForBoot);
    assert.deepEqual([await granted(bench), boots(bench)], ['False RebootPending', 2]);
    await bench.live(({ reason, message }) => reason === 'HostBootstrapped' && !message);
    assert.deepEqual([await granted(bench), boots(bench)], ['True AllowListActive', 3]);
  });

  test('a bake that begins right before the boot keeps the host from it', async () => {
    const bench = await serving();
    wantAll(bench);
    // The forge does not let go of a runner that has just got a job.
    let refused = 0;
    bench.runners.remove = async () => {
      refused += 1;
      bench.runners.now = 'busy';
      return false;
    };
    await bench.live(end => refused > 0 && waitsForBoot(end));
    assert.deepEqual([await granted(bench), boots(bench), refused], ['False RebootPending', 2, 1]);
    const { plan } = await statusOf(bench);
    assert.equal(plan?.applied, plan?.desired);
  });
});
