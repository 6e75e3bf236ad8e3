/** A fleet of builders: Macs with Xcode, the world's GitHub with an App, and a provider that knows both. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { milliseconds } from '@minifleet/clock';
import { secrets } from '@minifleet/kube';
import {
  type BuiltMac,
  builderOf,
  execute,
  HOMEBREW_INSTALL_SCRIPT,
  installXcode,
  RUNNER_VERSION,
  root,
  runnerTarball,
} from '@minifleet/world/mac';
import { type FleetBench, openFleetBench } from './fleet-bench.ts';
import type { Samm } from './fleet-in-sentences.ts';
import type { ProviderProcess } from './provider-process.ts';

export const BUILDERS = 'builders';
export const LABELS = ['self-hosted', 'macos', 'bare-metal', 'vm-image-builder'];
export const PACKER = '1.14.2';

const APP_SECRET = 'builders-gh-app';

export interface BuildersBench extends FleetBench {
  /** With the world's GitHub as its forge; hosts that serve are looked at every ten seconds. */
  startBuilders(): ProviderProcess;
  /** What is wanted of builders from the next start of a provider on. */
  want(agent?: { readonly hostCpu?: number }): Promise<void>;
  /** Of a machine. */
  macOf(machine: Samm): BuiltMac;
  /** As root over SSH; a failure is the test's. */
  on(mac: BuiltMac, command: string): Promise<string>;
  /** `name state`, as the page of the runners shows them. */
  runners(): string[];
}

export async function openBuildersBench(macs: number): Promise<BuildersBench> {
  const bench = await openFleetBench({ macs, prepareMac: readyToBake });
  const { world, fleetFile } = bench;
  await writeMaterial(dirname(fleetFile.path));
  await bench.admin.create(secrets, {
    metadata: { namespace: 'default', name: APP_SECRET },
    stringData: {
      'app-id': String(world.githubApp.id),
      'installation-id': String(world.githubApp.installationId),
      'private-key': await readFile(world.githubApp.keyFile, 'utf8'),
    },
  });
  const want = (agent = {}): Promise<void> => fleetFile.write(agent, { builder });
  await want();
  return {
    ...bench,
    startBuilders: () => bench.startProvider([`--forge-api-url=${world.github.url}`, '--inspect-every=10s']),
    want,
    macOf({ spec }) {
      const host = world.hosts.all.get(spec.claimRef?.name ?? '');
      assert.ok(host);
      return host.mac;
    },
    async on(mac, command) {
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

/** As a template for builders has it. */
export const builderMachine = {
  ghActionsRunner: { ghOrg: 'acme', ghAppSecretName: APP_SECRET, ghRunnerVersion: RUNNER_VERSION },
};

/** Somebody has put an Xcode there, and Packer's guest is quick. */
function readyToBake(mac: BuiltMac): void {
  installXcode(mac);
  builderOf(mac).guestBoots = milliseconds(500);
}

const builder = {
  homebrewInstaller: 'install.sh',
  formulae: [
    { name: 'hashicorp/tap/packer', version: PACKER, pinned: true },
    { name: 'crane', pinned: false },
  ],
  xcode: { developerDirectory: '/Applications/Xcode.app/Contents/Developer' },
  buildCache: { directory: '/opt/tuist-build-cache', variable: 'TUIST_MIX_BUILD_ROOT' },
  // Where, and with which labels, a machine says and its forge.
  runner: { url: 'https://github.com/acme', labels: [], version: RUNNER_VERSION, archive: 'actions-runner.tar.gz' },
};

async function writeMaterial(folder: string): Promise<void> {
  await writeFile(join(folder, builder.homebrewInstaller), HOMEBREW_INSTALL_SCRIPT);
  await writeFile(join(folder, builder.runner.archive), runnerTarball());
}
