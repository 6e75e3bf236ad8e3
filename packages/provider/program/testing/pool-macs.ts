import { createHash } from 'node:crypto';
import { macHost } from '@minifleet/api';
import { type Clock, type Duration, minutes } from '@minifleet/clock';
import type { HostTransport, SshTransportOptions } from '@minifleet/host';
import { STATE_FOLDER } from '@minifleet/host/testing/engine';
import type { Client } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { MemoryVendor } from '@minifleet/vendors/testing';
import { createChance, createFaultPlan, createJournal } from '@minifleet/world';
import { createMac, macParts, processesOf, root } from '@minifleet/world/mac';
import { agentPart, type Enrolment } from './agent-stand-in.ts';
import { type LetsIn, macOverSsh } from './mac-over-ssh.ts';

/** A provider acquired the lease of a host, which it does before it changes the host. */
export interface LeaseAcquisition {
  readonly host: string;
  /** Machine in the lease: `fleet/a`. */
  readonly forMachine: string;
  /** Consumer of the MacHost at that time. */
  readonly heldBy: string | undefined;
}

export interface PoolGuest {
  readonly running: boolean;
}

/** Simulated Macs behind the servers of a vendor. The vendor reinstalls and restarts them. */
export interface PoolMacs {
  /** Opens a simulated SSH transport. */
  open(options: SshTransportOptions): HostTransport;
  /** Starts and finishes the reinstallations and restarts that the vendor accepted. */
  tick(): void;
  readonly leaseAcquisitions: readonly LeaseAcquisition[];
  /** Number of times a Mac was wiped. */
  readonly wipes: number;
  /** Makes the Mac unreachable, also after restarts, until it is reinstalled. */
  unplug(id: string): void;
  /** Starts a VM on the Mac. Only a shutdown of the Mac stops it. */
  startGuest(id: string): PoolGuest;
}

const INSTALLATION_TAKES = minutes(3);
const RESTART_TAKES = minutes(1);
const LEASE = 'lease.';

export function poolMacs(vendor: MemoryVendor, client: Client, clock: Clock): PoolMacs {
  const chance = createChance('macs of a pool');
  const around = { clock, chance, journal: createJournal(clock), faults: createFaultPlan(chance) };
  const installed = new Map<string, LetsIn>();
  const busyUntil = new Map<string, number>();
  const leases = new Map<LetsIn, number>();
  const unplugged = new Set<string>();
  const leaseAcquisitions: LeaseAcquisition[] = [];
  let installations = 0;
  let wipes = 0;

  const keysNow = (): string[] => vendor.keys.map(({ publicKey }) => publicKey);
  const macOf = (id: string): LetsIn => installed.get(id) ?? install(vendor.find(id));

  /** Installs a Mac. A reinstallation copies the current keys of the vendor. A Mac installed before the test copies them at the first connection. */
  function install({ id, name, address = '', password }: Server, given?: readonly string[]): LetsIn {
    const enrolment: Enrolment = { address, certified: false, requests: { client: 0, serving: 0 } };
    const known = { name, serverId: id, address, password: password?.reveal().toString() ?? '' };
    const parts = [agentPart(client, enrolment), ...macParts];
    const mac = createMac({ ...known, macos: { version: '26.3', build: '25D125' }, parts }, around);
    const digest = createHash('sha256').update(`${id} ${++installations}`).digest('base64');
    let keys = given;
    const made: LetsIn = {
      mac,
      hostKey: `SHA256:${digest.replace('=', '')}`,
      keys: () => {
        keys ??= keysNow();
        return keys;
      },
    };
    installed.set(id, made);
    return made;
  }

  /** Records a new lease. Leases are numbered links that name their holder. */
  async function recordLease(id: string): Promise<void> {
    const one = macOf(id);
    const { files } = one.mac;
    if (!files.exists(root, STATE_FOLDER)) return;
    const numbers = files
      .list(root, STATE_FOLDER)
      .filter(name => name.startsWith(LEASE))
      .map(name => Number(name.slice(LEASE.length)));
    const newest = Math.max(0, ...numbers);
    if (newest <= (leases.get(one) ?? 0)) return;
    leases.set(one, newest);
    const [, forMachine = ''] = files.readLink(root, `${STATE_FOLDER}/${LEASE}${newest}`).split(' for ');
    const { consumerRef } = (await client.find(macHost.resource, { name: id }))?.spec ?? {};
    leaseAcquisitions.push({
      host: id,
      forMachine,
      heldBy: consumerRef && `${consumerRef.namespace}/${consumerRef.name}`,
    });
  }

  function begin({ id, stateWord }: Server): Duration {
    const { mac } = macOf(id);
    if (stateWord === 'reinstalling') {
      mac.shutDown();
      unplugged.delete(id);
      wipes += 1;
      return INSTALLATION_TAKES;
    }
    if (!unplugged.has(id)) void mac.reboot();
    return RESTART_TAKES;
  }

  return {
    leaseAcquisitions,
    get wipes() {
      return wipes;
    },
    open(options) {
      const server = vendor.all().find(({ address }) => address === options.address);
      if (!server) throw new Error(`no server has the address ${options.address}`);
      const { id } = server;
      return macOverSsh(
        options,
        () => macOf(id),
        () => recordLease(id),
      );
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
    unplug(id) {
      unplugged.add(id);
      macOf(id).mac.shutDown();
    },
    startGuest(id) {
      const processes = processesOf(macOf(id).mac);
      const { pid } = processes.start({
        ...{ argv: ['tart', 'run', 'guest'], user: root, session: 'launchd' },
        body: async ({ signal }) => {
          await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
          return 0;
        },
      });
      return {
        get running() {
          return processes.find().some(process => process.pid === pid);
        },
      };
    },
  };
}
