import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { machines } from '@minifleet/cli/cluster';
import type { Clock } from '@minifleet/clock';
import { type Client, isConditionTrue, type Node, nodes } from '@minifleet/kube';
import type { World } from '@minifleet/world';
import { type BuiltMac, type ShellResult, execute, root } from '@minifleet/world/mac';
import type { Kubectl } from '../up/home/kubectl.ts';
import { HOST_GONE } from './errors.ts';

/** Where breakages happen: a running `up`. */
export interface Theatre {
  readonly clock: Clock;
  readonly world: World;
  /** An administrator's. */
  readonly client: Client;
  readonly kubectl: Kubectl;
}

/** One host of it, and what a breakage does and looks at there. */
export interface Stage extends Theatre {
  /** Of the machine, which is also its Node's. */
  readonly name: string;
  readonly namespace: string;
  /** At the vendor. */
  readonly serverId: string;
  /** When it was struck. */
  readonly since: number;
  /** As it is now; undefined when it is gone. */
  readonly machine: () => Promise<ScalewayAppleSiliconMachine | undefined>;
  readonly node: () => Promise<Node | undefined>;
  /** The Mac as it is now: a reinstalled one is another. */
  readonly mac: () => BuiltMac;
  /** Shell text on the Mac, as root. */
  readonly run: (script: string, stdin?: Buffer | string) => Promise<ShellResult>;
  /** Whether machine and Node are both Ready. */
  readonly isWell: () => Promise<boolean>;
}

export function openStage(theatre: Theatre, { metadata, spec }: ScalewayAppleSiliconMachine): Stage {
  const { client, clock, world } = theatre;
  const { name, namespace = 'default' } = metadata;
  const serverId = spec.claimRef?.name ?? '';
  const machine = (): Promise<ScalewayAppleSiliconMachine | undefined> => client.find(machines, { namespace, name });
  const node = (): Promise<Node | undefined> => client.find(nodes, { name });
  const mac = (): BuiltMac => {
    const host = world.hosts.all.get(serverId);
    if (!host) throw HOST_GONE({ host: name, server: serverId });
    return host.mac;
  };
  return {
    ...theatre,
    name,
    namespace,
    serverId,
    since: clock.now(),
    machine,
    node,
    mac,
    run: (script, stdin) => execute(mac(), script, { user: root, ...(stdin === undefined ? {} : { stdin }) }),
    async isWell() {
      const [samm, its] = await Promise.all([machine(), node()]);
      return samm !== undefined && its !== undefined && isConditionTrue(samm, 'Ready') && isReady(its);
    },
  };
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
