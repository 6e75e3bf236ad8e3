/** A fleet of builders: Macs with Xcode, the simulated GitHub with an App, and a provider for both. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { milliseconds } from '@minifleet/clock';
import { secrets } from '@minifleet/kube';
import { type BuiltMac, builderOf, execute, installXcode, RUNNER_VERSION, root } from '@minifleet/world/mac';
import { type FleetBench, openFleetBench } from './fleet-bench.ts';
import type { ScalewayAppleSiliconMachine } from './fleet-driver.ts';
import type { ProviderProcess } from './provider-process.ts';

export const BUILDERS = 'builders';
export const LABELS = ['self-hosted', 'macos', 'bare-metal', 'vm-image-builder'];

const APP_SECRET = 'builders-gh-app';

export interface BuildersBench extends FleetBench {
  /** Starts a provider for the simulated GitHub that inspects Ready hosts every ten seconds. */
  startBuilderProvider(): ProviderProcess;
  macOf(machine: ScalewayAppleSiliconMachine): BuiltMac;
  /** Runs a command as root; a failure fails the test. */
  runAsRoot(mac: BuiltMac, command: string): Promise<string>;
  /** Runners at GitHub as `name state`. */
  runners(): string[];
}

export async function openBuildersBench(macs: number): Promise<BuildersBench> {
  const bench = await openFleetBench({ macs, prepareMac: prepareForBakes });
  const { world } = bench;
  await bench.admin.create(secrets, {
    metadata: { namespace: 'default', name: APP_SECRET },
    stringData: {
      'app-id': String(world.githubApp.id),
      'installation-id': String(world.githubApp.installationId),
      'private-key': await readFile(world.githubApp.keyFile, 'utf8'),
    },
  });
  return {
    ...bench,
    startBuilderProvider: () => bench.startProvider([`--forge-api-url=${world.github.url}`, '--inspect-every=10s']),
    macOf({ spec }) {
      const host = world.hosts.all.get(spec.claimRef?.name ?? '');
      assert.ok(host);
      return host.mac;
    },
    async runAsRoot(mac, command) {
      const { code, out, err } = await execute(mac, command, { user: root });
      assert.equal(code, 0, `${command}: ${err}${out}`);
      return out;
    },
    runners: () =>
      world.github.state.runners.all
        .map(({ name, online, job }) => `${name} ${online ? 'online' : 'offline'}${job ? ' busy' : ''}`)
        .toSorted(),
  };
}

/** Machine spec of a builder template. */
export const builderMachine = {
  ghActionsRunner: { ghOrg: 'acme', ghAppSecretName: APP_SECRET, ghRunnerVersion: RUNNER_VERSION },
};

/** Installs Xcode, which operators do by hand, and shortens the boot of Packer's guest. */
function prepareForBakes(mac: BuiltMac): void {
  installXcode(mac);
  builderOf(mac).guestBoots = milliseconds(500);
}
