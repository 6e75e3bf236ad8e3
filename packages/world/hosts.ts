import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builderOf, type RunnerForge } from './mac/builder/builder.ts';
import { type BuiltMac, createMac } from './mac/create-mac.ts';
import { macParts } from './mac/mac-parts.ts';
import { type SshServer, startSshServer } from './mac/ssh/start-ssh-server.ts';
import { tartPart } from './mac/tart/part.ts';
import { type Network, networkOf } from './mac/unix/network/network.ts';
import { m1 } from './mac/user.ts';
import type { Server } from './scaleway/model/server.ts';
import type { Installation, Machines } from './scaleway/vendor/machines.ts';
import type { Surroundings } from './surroundings.ts';

/** A Mac of the world and where its SSH answers. */
export interface Host {
  readonly serverId: string;
  readonly mac: BuiltMac;
  readonly ssh: SshServer;
}

/** The Macs behind the vendor's servers: made when one is delivered, made anew when it is reinstalled. */
export interface Hosts extends Machines {
  readonly all: ReadonlyMap<string, Host>;
  close(): Promise<void>;
}

/** What is put on a Mac before anyone can log in, beyond what the vendor installs: programs that stand for real ones. */
export type PrepareMac = (mac: BuiltMac, server: Server) => void | Promise<void>;

export interface HostsOptions {
  readonly forge: RunnerForge;
  /** Where the real processes behind Macs (Tart and its guests) keep their files. */
  readonly directory: string;
  readonly internet: Network['http'];
  /** `ghcr.io` for them. */
  readonly registry: string;
  readonly prepare?: PrepareMac | undefined;
  /** Written anew when a Mac comes or goes: `{ "<server id>": "127.0.0.1:40022" }`. */
  readonly addressFile: string;
}

export function createHosts(around: Surroundings, options: HostsOptions): Hosts {
  const tart = tartPart(join(options.directory, 'tart'), { registries: { 'ghcr.io': options.registry } });
  const all = new Map<string, Host>();

  async function remove(serverId: string): Promise<void> {
    const host = all.get(serverId);
    all.delete(serverId);
    host?.mac.shutDown();
    await host?.ssh.close();
  }

  // Renamed into place: whoever reads it meanwhile has the old or the new one.
  function writeAddresses(): void {
    const addresses = [...all].map(([id, { ssh }]) => [id, `${ssh.host}:${ssh.port}`]);
    writeFileSync(`${options.addressFile}.part`, JSON.stringify(Object.fromEntries(addresses)));
    renameSync(`${options.addressFile}.part`, options.addressFile);
  }

  async function install(server: Server, installation: Installation): Promise<void> {
    const previous = all.get(server.id);
    await remove(server.id);
    const mac = createMac({ ...optionsOf(server, installation), parts: [...macParts, tart] }, around);
    builderOf(mac).forge = options.forge;
    networkOf(mac).http = options.internet;
    const keys = installation.sshKeys.map(key => `${key}\n`).join('');
    mac.files.write(m1, `${m1.home}/.ssh/scw_authorized_keys`, keys, { mode: 0o600 });
    await options.prepare?.(mac, server);
    // The same port again: to a client it is the same address, whose host key has changed.
    const ssh = await startSshServer(mac, { host: '127.0.0.1', port: previous?.ssh.port ?? 0 });
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

const optionsOf = (server: Server, { os, password }: Installation) => ({
  name: server.name,
  serverId: server.id,
  address: server.ip,
  password,
  macos: { version: os.version, build: '25D125' },
});
