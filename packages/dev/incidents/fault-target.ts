import { type MacHost, macHost } from '@minifleet/api';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { machines } from '@minifleet/cli/cluster';
import type { Clock } from '@minifleet/clock';
import { type Client, isConditionTrue, type Node, nodes } from '@minifleet/kube';
import type { World } from '@minifleet/world';
import { type BuiltMac, execute, root, type ShellResult } from '@minifleet/world/mac';
import type { Kubectl } from '../kubectl.ts';
import { HOST_GONE } from './errors.ts';

/** A running `up`, into which faults are injected. */
export interface FaultEnv {
  readonly clock: Clock;
  readonly world: World;
  /** Client with administrator permissions. */
  readonly client: Client;
  readonly kubectl: Kubectl;
}

/** The host that gets a fault. */
export interface FaultTarget extends FaultEnv {
  /** Name of the machine and of its Node. */
  readonly name: string;
  readonly namespace: string;
  /** Server ID at the vendor. */
  readonly serverId: string;
  /** Time of the injection. */
  readonly since: number;
  /** Reads the machine; undefined when it is gone. */
  readonly machine: () => Promise<ScalewayAppleSiliconMachine | undefined>;
  /** Reads the MacHost of the machine; undefined when it is gone. */
  readonly host: () => Promise<MacHost | undefined>;
  readonly node: () => Promise<Node | undefined>;
  /** Returns the current Mac. A reinstallation replaces it. */
  readonly mac: () => BuiltMac;
  /** Runs a shell script on the Mac as root. */
  readonly run: (script: string, stdin?: Buffer | string) => Promise<ShellResult>;
  /** True if the machine and its Node are Ready. */
  readonly isReady: () => Promise<boolean>;
}

export function openTarget(env: FaultEnv, { metadata, spec }: ScalewayAppleSiliconMachine): FaultTarget {
  const { client, clock, world } = env;
  const { name, namespace = 'default' } = metadata;
  const serverId = spec.claimRef?.name ?? '';
  const machine = (): Promise<ScalewayAppleSiliconMachine | undefined> => client.find(machines, { namespace, name });
  const host = (): Promise<MacHost | undefined> => client.find(macHost.resource, { name: serverId });
  const node = (): Promise<Node | undefined> => client.find(nodes, { name });
  const mac = (): BuiltMac => {
    const host = world.hosts.all.get(serverId);
    if (!host) throw HOST_GONE({ host: name, server: serverId });
    return host.mac;
  };
  return {
    ...env,
    name,
    namespace,
    serverId,
    since: clock.now(),
    machine,
    host,
    node,
    mac,
    run: (script, stdin) => execute(mac(), script, { user: root, ...(stdin === undefined ? {} : { stdin }) }),
    async isReady() {
      const [ours, its] = await Promise.all([machine(), node()]);
      return ours !== undefined && its !== undefined && isConditionTrue(ours, 'Ready') && isNodeReady(its);
    },
  };
}

const isNodeReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
