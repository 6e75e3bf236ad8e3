import { createHash } from 'node:crypto';
import { hostClaim } from '@minifleet/api';
import { type Clock, type Duration, minutes } from '@minifleet/clock';
import { HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED, type SshTransportOptions, type Transport } from '@minifleet/host';
import { macTransport } from '@minifleet/host/testing';
import type { Client } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { MemoryVendor } from '@minifleet/vendors/testing';
import { createChance, createFaultPlan, createJournal } from '@minifleet/world';
import { type BuiltMac, createMac, macParts, processesOf, root } from '@minifleet/world/mac';
import { nothingHeard } from '../../../host/transport/transport.ts';
import { STATE_FOLDER } from '../../../host/engine/lease-answer.ts';
import { agentPart, type Enrolment } from './agent-stand-in.ts';

/** Somebody began to change a host, and whose the host was at that time. */
export interface HostTaken {
  readonly host: string;
  /** `fleet/a`. */
  readonly forMachine: string;
  readonly heldBy: string | undefined;
}

/** The Macs behind the servers of a vendor: installed anew and restarted as it says. */
export interface PoolMacs {
  /** In the place of SSH. */
  open(options: SshTransportOptions): Transport;
  /** Lets what the vendor began come to its end in time. */
  tick(): void;
  readonly taken: readonly HostTaken[];
  /** A VM that somebody runs there; it ends with nothing but the Mac. */
  startGuest(id: string): Guest;
}

export interface Guest {
  readonly running: boolean;
}

interface Installed {
  readonly mac: BuiltMac;
  readonly hostKey: string;
  /** Keys that the vendor had when it was installed; those of the first login on a Mac that was there before. */
  keys: readonly string[] | undefined;
  readonly enrolment: Enrolment;
  leases: number;
}

const INSTALLATION_TAKES = minutes(3);
const RESTART_TAKES = minutes(1);

export function poolMacs(vendor: MemoryVendor, client: Client, clock: Clock): PoolMacs {
  const chance = createChance('macs of a pool');
  const around = { clock, chance, journal: createJournal(clock), faults: createFaultPlan(chance) };
  const installed = new Map<string, Installed>();
  const busyUntil = new Map<string, number>();
  const taken: HostTaken[] = [];
  let installations = 0;

  function install({ id, name, address = '', password }: Server, keys?: readonly string[]): Installed {
    const enrolment: Enrolment = { address, certified: false, requests: { client: 0, serving: 0 } };
    const mac = createMac(
      {
        ...{ name, serverId: id, address, password: password?.reveal().toString() ?? '' },
        macos: { version: '26.3', build: '25D125' },
        parts: [agentPart(client, () => enrolment), ...macParts],
      },
      around,
    );
    const hostKey = `SHA256:${createHash('sha256').update(`${id} ${++installations}`).digest('base64').replace('=', '')}`;
    const made: Installed = { mac, hostKey, keys, enrolment, leases: 0 };
    installed.set(id, made);
    return made;
  }

  const keysNow = (): string[] => vendor.keys.map(({ publicKey }) => publicKey);
  const macOf = (server: Server): Installed => installed.get(server.id) ?? install(server);

  /** Leases are numbered links that name who took them. */
  async function noteLeases(id: string, one: Installed): Promise<void> {
    const { files } = one.mac;
    if (!one.mac.running || !files.exists(root, STATE_FOLDER)) return;
    const links = files.list(root, STATE_FOLDER).filter(name => name.startsWith('lease.'));
    const newest = Math.max(0, ...links.map(name => Number(name.slice('lease.'.length))));
    if (newest <= one.leases) return;
    one.leases = newest;
    const forMachine = files.readLink(root, `${STATE_FOLDER}/lease.${newest}`).split(' for ')[1] ?? '';
    const { machineRef } = (await client.find(hostClaim.resource, { name: id }))?.spec ?? {};
    taken.push({ host: id, forMachine, heldBy: machineRef && `${machineRef.namespace}/${machineRef.name}` });
  }

  function begin(server: Server): Duration {
    const one = macOf(server);
    if (server.stateWord !== 'reinstalling') {
      void one.mac.reboot();
      return RESTART_TAKES;
    }
    one.mac.shutDown();
    installed.delete(server.id);
    return INSTALLATION_TAKES;
  }

  return {
    taken,
    open(options) {
      const server = vendor.all().find(({ address }) => address === options.address);
      if (!server) throw new Error(`no server has the address ${options.address}`);
      return overSsh(options, {
        find: () => (vendor.find(server.id).stateWord === 'reinstalling' ? undefined : macOf(vendor.find(server.id))),
        keysNow,
        after: one => noteLeases(server.id, one),
      });
    },
    tick() {
      for (const server of vendor.all().filter(({ state }) => state === 'busy')) {
        const due = busyUntil.get(server.id);
        if (due === undefined) busyUntil.set(server.id, clock.now() + begin(server));
        if (due === undefined || due > clock.now()) continue;
        busyUntil.delete(server.id);
        vendor.finish(server.id);
        if (server.stateWord === 'reinstalling') install(vendor.find(server.id), keysNow());
      }
    },
    startGuest(id) {
      const { mac } = macOf(vendor.find(id));
      const { pid } = processesOf(mac).start({
        ...{ argv: ['tart', 'run', 'guest'], user: root, session: 'launchd' },
        body: ({ signal }) => new Promise(resolve => signal.addEventListener('abort', () => resolve(0))),
      });
      return {
        get running() {
          return processesOf(mac).find().some(process => process.pid === pid);
        },
      };
    },
  };
}

interface Ssh {
  readonly find: () => Installed | undefined;
  readonly keysNow: () => string[];
  readonly after: (one: Installed) => Promise<void>;
}

/** One connection: the host shows its key and looks at ours, and commands go to whichever Mac is there now. */
function overSsh({ privateKey, hostKey, address, user }: SshTransportOptions, { find, keysNow, after }: Ssh): Transport {
  const at = `${user}@${address}`;
  let shown: string | undefined;
  let roundTrips = 0;
  const ours = Buffer.from(privateKey.reveal().toString().replaceAll(/-----.*-----/g, ''), 'base64');
  const isOurs = (key: string): boolean => ours.includes(Buffer.from(key.split(' ')[1] ?? '', 'base64'));
  const unreached = (error: ReturnType<typeof HOST_KEY_REFUSED>) =>
    ({ kind: 'unreached', begun: false, error, ...nothingHeard() }) as const;
  return {
    address: at,
    get hostKey() {
      return shown;
    },
    get roundTrips() {
      return roundTrips;
    },
    async run(command) {
      const one = find();
      if (one?.mac.running) {
        const pinned = 'pinned' in hostKey ? hostKey.pinned : shown;
        if (pinned !== undefined && pinned !== one.hostKey)
          return unreached(HOST_IDENTITY_CHANGED({ address: at, seen: one.hostKey, pinned }));
        one.keys ??= keysNow();
        shown = one.hostKey;
        if (!one.keys.some(isOurs)) return unreached(HOST_KEY_REFUSED({ address: at }));
      }
      roundTrips += 1;
      const outcome = await (one ? macTransport(one.mac) : OFF(at)).run(command);
      if (one) await after(one);
      return outcome;
    },
    close: async () => undefined,
  };
}
