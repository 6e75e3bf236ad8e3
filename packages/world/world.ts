import { generateKeyPairSync } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { type Chance, createChance } from './chance.ts';
import { createFaultPlan } from './faults/fault-plan.ts';
import type { GithubOptions } from './github/options.ts';
import { type Github, startGithub } from './github/start-github.ts';
import { createInternet } from './internet.ts';
import { createJournal } from './journal.ts';
import { builderOf, type RunnerForge } from './mac/builder/image-builder.ts';
import { type BuiltMac, createMac } from './mac/create-mac.ts';
import { m1 } from './mac/mac.ts';
import { macParts } from './mac/mac-parts.ts';
import { openSshKey } from './mac/ssh/host-key.ts';
import { type SshServer, startSshServer } from './mac/ssh/start-ssh-server.ts';
import { tartPart } from './mac/tart/tart-part.ts';
import { networkOf, type OutboundNetwork } from './mac/unix/network/curl.ts';
import { type Registry, startRegistry } from './registry/start-registry.ts';
import { runnerForge } from './runner-forge.ts';
import type { Server } from './scaleway/model/server.ts';
import { type Scaleway, startScaleway } from './scaleway/start-scaleway.ts';
import type { Machines, ServerInstallation } from './scaleway/vendor/scaleway-vendor.ts';
import type { VendorSettings } from './scaleway/vendor/settings.ts';
import type { WorldDeps } from './world-deps.ts';

export interface WorldOptions {
  /** Free Macs in the pool. */
  readonly hosts: number;
  readonly seed: string;
  readonly clock: Clock;
  /** Directory for keys, created if it does not exist. */
  readonly directory: string;
  /** Returns the `ip` of the n-th server, counted from 1, if the world has its own network. */
  readonly address?: ((number: number) => string) | undefined;
  /** Address of the vendor's API, GitHub and the registry (default: 127.0.0.1). */
  readonly servicesAddress?: string;
  /** Place at which a Mac accepts SSH (default: a free port of loopback). `server ip`: port 22 of its own address. */
  readonly ssh?: 'server ip';
  /** Overrides of the vendor's behaviour, such as a reinstallation in seconds. */
  readonly vendor?: Partial<VendorSettings>;
  /** Overrides of GitHub's behaviour, and its webhooks. */
  readonly github?: Pick<GithubOptions, 'behaviour' | 'scaleSets' | 'hooks'>;
  /** Called for each Mac before anyone can log in, and again after each reinstallation. */
  readonly prepareMac?: PrepareMac;
}

/** Everything outside the cluster, running on loopback by default. */
export interface World {
  readonly deps: WorldDeps;
  readonly hosts: Hosts;
  readonly scaleway: Scaleway;
  readonly github: Github;
  readonly registry: Registry;
  /** JSON file that maps server ids to loopback ports, because the vendor's addresses are not reachable here. */
  readonly sshAddressFile: string;
  /** For `ssh -F`: the Macs of the pool by their initial names. */
  readonly sshConfigFile: string;
  /** The private key that every Mac of the project accepts, in OpenSSH format. */
  readonly sshKeyFile: string;
  readonly githubApp: {
    readonly id: number;
    readonly installationId: number;
    readonly keyFile: string;
    readonly organization: string;
  };
  /** Sorted by name. */
  pool(): readonly { readonly name: string; readonly host: Host }[];
  close(): Promise<void>;
}

const APP = { id: 1, installationId: 11, organization: 'acme' };

export async function startWorld(options: WorldOptions): Promise<World> {
  const { clock, directory } = options;
  const chance = createChance(options.seed);
  const deps = { clock, chance, journal: createJournal(clock), faults: createFaultPlan(chance.stream('faults')) };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const app = await makeApp(directory);
  const at = options.servicesAddress === undefined ? {} : { host: options.servicesAddress };
  const github = await startGithub({
    ...options.github,
    ...at,
    deps,
    apps: [{ id: APP.id, key: app.publicKey, installations: [{ id: APP.installationId, account: APP.organization }] }],
    organizations: [{ login: APP.organization, repositories: ['app'] }],
  });
  const registry = await startRegistry({ deps, ...at });
  const internet = createInternet({ github: github.url });
  const sshAddressFile = join(directory, 'ssh-addresses.json');
  const hosts = createHosts(deps, {
    forge: runnerForge(github),
    internet,
    directory,
    registry: registry.url,
    prepare: options.prepareMac,
    addressFile: sshAddressFile,
    ssh: options.ssh,
  });
  const scaleway = await startScaleway({
    ...at,
    deps,
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
    deps,
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

/** Registers the fleet key with the project before any Mac is delivered: the vendor injects it at installation. */
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
  if (!answer.ok) throw new Error(`simulated Scaleway: the fleet key was rejected: ${await answer.text()}`);
  return file;
}

async function makeApp(directory: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const keyFile = join(directory, 'github-app.pem');
  await writeFile(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  return { publicKey, keyFile };
}

/** Writes a file for `ssh -F` with the names of the Macs, so that users need no ports and keys. */
async function writeSshConfig(
  directory: string,
  keyFile: string,
  pool: readonly { readonly name: string; readonly host: Host }[],
): Promise<string> {
  const file = join(directory, 'ssh_config');
  const entries = pool.map(({ name, host }) => `Host ${name}\n  HostName ${host.ssh.host}\n  Port ${host.ssh.port}\n`);
  // A reinstalled Mac has a new host key at the same port, so known hosts would only cause errors here.
  const everyone = `Host *\n  User m1\n  IdentityFile ${keyFile}\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n`;
  await writeFile(file, [...entries, everyone].join('\n'));
  return file;
}

/** A simulated Mac and its SSH address. */
export interface Host {
  readonly serverId: string;
  readonly mac: BuiltMac;
  readonly ssh: SshServer;
}

/** The Macs behind the vendor's servers: created at delivery, and recreated at reinstallation. */
export interface Hosts extends Machines {
  readonly all: ReadonlyMap<string, Host>;
  close(): Promise<void>;
}

/** Adds to a Mac, before anyone can log in, what the vendor does not install: programs that replace real ones. */
export type PrepareMac = (mac: BuiltMac, server: Server) => void | Promise<void>;

interface HostsOptions {
  readonly forge: RunnerForge;
  /** Directory for files of the real processes behind the Macs (Tart and its guests). */
  readonly directory: string;
  readonly internet: OutboundNetwork['http'];
  /** URL that replaces `ghcr.io`. */
  readonly registry: string;
  readonly prepare?: PrepareMac | undefined;
  /** Rewritten when a Mac is added or removed: `{ "<server id>": "127.0.0.1:40022" }`. */
  readonly addressFile: string;
  readonly ssh: WorldOptions['ssh'];
}

function createHosts(deps: WorldDeps, options: HostsOptions): Hosts {
  const tart = tartPart(join(options.directory, 'tart'), { registries: { 'ghcr.io': options.registry } });
  const all = new Map<string, Host>();

  async function remove(serverId: string): Promise<void> {
    const host = all.get(serverId);
    all.delete(serverId);
    host?.mac.shutDown();
    await host?.ssh.close();
  }

  // Renamed into place, so that readers see either the old or the new file.
  function writeAddresses(): void {
    const addresses = [...all].map(([id, { ssh }]) => [id, `${ssh.host}:${ssh.port}`]);
    writeFileSync(`${options.addressFile}.part`, JSON.stringify(Object.fromEntries(addresses)));
    renameSync(`${options.addressFile}.part`, options.addressFile);
  }

  async function install(server: Server, installation: ServerInstallation): Promise<void> {
    const previous = all.get(server.id);
    await remove(server.id);
    const mac = createMac({ ...optionsOf(server, installation), parts: [...macParts, tart] }, deps);
    builderOf(mac).forge = options.forge;
    networkOf(mac).http = options.internet;
    const keys = installation.sshKeys.map(key => `${key}\n`).join('');
    mac.files.write(m1, `${m1.home}/.ssh/scw_authorized_keys`, keys, { mode: 0o600 });
    await options.prepare?.(mac, server);
    // The same port again: to a client it is the same address with a changed host key.
    const loopback = { host: '127.0.0.1', port: previous?.ssh.port ?? 0 };
    const ssh = await startSshServer(mac, options.ssh === 'server ip' ? { host: server.ip, port: 22 } : loopback);
    all.set(server.id, { serverId: server.id, mac, ssh });
    writeAddresses();
  }

  return {
    all,
    deliver: install,
    reinstall: install,
    powerDown: server => all.get(server.id)?.mac.shutDown(),
    reboot: async server => all.get(server.id)?.mac.reboot(),
    remove: server => remove(server.id),
    async close() {
      for (const serverId of [...all.keys()]) await remove(serverId);
    },
  };
}

const optionsOf = (server: Server, { os, password }: ServerInstallation) => ({
  name: server.name,
  serverId: server.id,
  address: server.ip,
  password,
  macos: { version: os.version, build: '25D125' },
});
