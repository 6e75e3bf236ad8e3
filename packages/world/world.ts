import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { type Chance, createChance } from './chance.ts';
import { createFaultPlan } from './faults/fault-plan.ts';
import type { GithubOptions } from './github/options.ts';
import { runnerForge } from './github/runners/runner-forge.ts';
import { type Github, startGithub } from './github/start-github.ts';
import { createHosts, type Host, type Hosts, type PrepareMac } from './hosts.ts';
import { createInternet } from './internet.ts';
import { createJournal } from './journal.ts';
import { openSshKey } from './mac/ssh/host-key.ts';
import { type Registry, startRegistry } from './registry/start-registry.ts';
import { type Scaleway, startScaleway } from './scaleway/start-scaleway.ts';
import type { VendorSettings } from './scaleway/vendor/settings.ts';
import { writeSshConfig } from './ssh-config.ts';
import type { Surroundings } from './surroundings.ts';

export interface WorldOptions {
  /** Free Macs in the pool. */
  readonly hosts: number;
  readonly seed: string;
  readonly clock: Clock;
  /** Where keys are written; made if it is not there. */
  readonly directory: string;
  /** The `ip` of the given number of server, counted from 1, where the world has a network of its own. */
  readonly address?: ((number: number) => string) | undefined;
  /** How the vendor behaves where not as usual: a reinstallation in seconds. */
  readonly vendor?: Partial<VendorSettings>;
  /** How the forge behaves where not as usual, and whom it tells of jobs. */
  readonly forge?: Pick<GithubOptions, 'habits' | 'scaleSets' | 'hooks'>;
  /** Called for each Mac before anyone can log in to it, anew after each reinstallation. */
  readonly prepareMac?: PrepareMac;
}

/** Everything outside the cluster, running on loopback. */
export interface World {
  readonly around: Surroundings;
  readonly hosts: Hosts;
  readonly scaleway: Scaleway;
  readonly github: Github;
  readonly registry: Registry;
  /** Which loopback port answers for a server, by its id, as JSON: the vendor's addresses are nobody's here. */
  readonly sshAddressFile: string;
  /** For `ssh -F`: the Macs of the pool by their names at the start. */
  readonly sshConfigFile: string;
  /** The key every Mac of the project accepts, as a file OpenSSH takes. */
  readonly sshKeyFile: string;
  readonly githubApp: {
    readonly id: number;
    readonly installationId: number;
    readonly keyFile: string;
    readonly organization: string;
  };
  /** In the order of their names. */
  pool(): readonly { readonly name: string; readonly host: Host }[];
  close(): Promise<void>;
}

const APP = { id: 1, installationId: 11, organization: 'acme' };

export async function startWorld(options: WorldOptions): Promise<World> {
  const { clock, directory } = options;
  const chance = createChance(options.seed);
  const around = { clock, chance, journal: createJournal(clock), faults: createFaultPlan(chance.stream('faults')) };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const app = await makeApp(directory);
  const github = await startGithub({
    ...options.forge,
    surroundings: around,
    apps: [{ id: APP.id, key: app.publicKey, installations: [{ id: APP.installationId, account: APP.organization }] }],
    organizations: [{ login: APP.organization, repositories: ['app'] }],
  });
  const registry = await startRegistry({ surroundings: around });
  const internet = createInternet({ github: github.url });
  const sshAddressFile = join(directory, 'ssh-addresses.json');
  const hosts = createHosts(around, {
    forge: runnerForge(github),
    internet,
    directory,
    registry: registry.url,
    prepare: options.prepareMac,
    addressFile: sshAddressFile,
  });
  const scaleway = await startScaleway({
    surroundings: around,
    machines: hosts,
    settings: options.vendor ?? {},
    ...(options.address ? { address: options.address } : {}),
  });
  const sshKeyFile = await registerSshKey(scaleway, directory, chance.stream('fleet key'));
  for (let number = 1; number <= options.hosts; number++) {
    await scaleway.console.addServer({ name: `tuist-pool-${String(number).padStart(2, '0')}` });
  }
  const sshConfigFile = await writeSshConfig(directory, sshKeyFile, poolOf(scaleway, hosts));
  return {
    around,
    hosts,
    scaleway,
    github,
    registry,
    sshAddressFile,
    sshConfigFile,
    sshKeyFile,
    githubApp: { ...APP, keyFile: app.keyFile },
    pool: () => poolOf(scaleway, hosts),
    async close() {
      await Promise.all([scaleway.close(), github.close(), registry.stop(), hosts.close()]);
    },
  };
}

const poolOf = (scaleway: Scaleway, hosts: Hosts): { name: string; host: Host }[] =>
  scaleway.console
    .servers()
    .flatMap(({ id, name }) => {
      const host = hosts.all.get(id);
      return host ? [{ name, host }] : [];
    })
    .sort((one, other) => one.name.localeCompare(other.name));

/** Registers the fleet's key with the project before any Mac is delivered: the vendor injects it at installation. */
async function registerSshKey(scaleway: Scaleway, directory: string, chance: Chance): Promise<string> {
  const key = openSshKey(Buffer.from(chance.hex(64), 'hex'));
  const file = join(directory, 'fleet_ed25519');
  await writeFile(file, key.private, { mode: 0o600 });
  await writeFile(`${file}.pub`, `${key.public} fleet\n`);
  const { secretKey, defaultProjectId } = scaleway.apiFor();
  const answer = await fetch(`${scaleway.url}/iam/v1alpha1/ssh-keys`, {
    method: 'POST',
    headers: { 'x-auth-token': secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'fleet', public_key: `${key.public} fleet`, project_id: defaultProjectId }),
  });
  if (!answer.ok) throw new Error(`the world's vendor refused the fleet key: ${await answer.text()}`);
  return file;
}

async function makeApp(directory: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const keyFile = join(directory, 'github-app.pem');
  await writeFile(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  return { publicKey, keyFile };
}
