import type { MacHost } from '@minifleet/api';
import {
  type Client,
  events,
  type KubeEvent,
  type KubeObject,
  nodes,
  pods,
  type Resource,
} from '@minifleet/kube/client';
import { NAME_AMBIGUOUS, OBJECT_NOT_FOUND } from '../cluster/errors.ts';
import { findHost } from '../cluster/find-host.ts';
import { listAll } from '../cluster/list-all.ts';
import {
  findMachine,
  hostOf,
  hostOfNode,
  type InfraMachine,
  inNamespace,
  listMachines,
  nameOf,
} from '../cluster/machines.ts';
import { macHosts, machineDeployments, resourceOf, runnerPools } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { belongsToFleet } from '../get/kinds/fleets.ts';
import { untilAborted } from '../stop.ts';
import { lineWidth } from '../terminal/table.ts';
import { wrap } from '../terminal/wrap.ts';
import type { ExplainRequest } from './explain-command.ts';
import { explainFleet } from './explain-fleet.ts';
import { explainHost } from './explain-host.ts';
import { explainMachine } from './explain-machine.ts';
import { explainPod } from './explain-pod.ts';
import { explainPool } from './explain-pool.ts';
import type { ObjectExplanation } from './explanation.ts';

interface ExplainTarget {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly now: number;
}

type Explainer = (client: Client, asked: ExplainTarget) => Promise<ObjectExplanation>;

/** Finds the object, reads its events and related objects, and prints the explanation. */
export async function explain(what: string, request: ExplainRequest, context: CliContext): Promise<void> {
  const [, word = '', name = ''] = /^([a-z0-9.-]+)\/(.+)$/.exec(what) ?? [];
  const kind = kindOf(word);
  if (!kind) {
    throw new UsageError(
      `${what}: not of the form <kind>/<name>; use for example host/mac-1 (kinds: ${EXPLAINED_KINDS.join(', ')})`,
    );
  }
  const explainer = EXPLAINERS[kind];
  const asked = { name, namespace: request.namespace, now: context.clock.now() };
  const { sentences, next } = await withCluster(request, context, client =>
    untilAborted(context, explainer(client, asked)),
  );
  const width = lineWidth(context.output);
  const lines = [...sentences, `Next: ${next}`].flatMap(line => wrap(line, width));
  context.output.write(`${lines.join('\n')}\n`);
}

/** Finds a Mac by the name of its MacHost, machine or Node. A machine without a Mac is explained alone. */
const host: Explainer = async (client, asked) => {
  const found = await findMachine(client, asked);
  if (found && hostOf(found) === undefined) return machineAlone(client, found, asked);
  const [mac, all] = await Promise.all([findMac(client, found, asked), listAll(client, nodes)]);
  if (found && mac?.spec.consumerRef?.uid !== found.metadata.uid) return machineAlone(client, found, asked);
  if (!mac) throw notFound('hosts', asked);
  const machine = found ?? (await machineOf(client, mac));
  const node = all.items.find(each => hostOfNode(each) === mac.metadata.name);
  const about = machine ? [machine, mac] : [mac];
  return explainHost({ host: mac, machine, node, ...(await explainContext(client, about, asked)) });
};

/** The MacHost of a machine may be gone; a host that no machine was found for must exist. */
const findMac = (
  client: Client,
  machine: InfraMachine | undefined,
  asked: ExplainTarget,
): Promise<MacHost | undefined> =>
  machine ? client.find(macHosts, { name: hostOf(machine) ?? '' }) : findHost(client, asked);

async function machineOf(client: Client, { spec: { consumerRef } }: MacHost): Promise<InfraMachine | undefined> {
  const machine = consumerRef && (await client.find(resourceOf(consumerRef), consumerRef));
  return machine?.metadata.uid === consumerRef?.uid ? machine : undefined;
}

const machineAlone = async (client: Client, machine: InfraMachine, asked: ExplainTarget): Promise<ObjectExplanation> =>
  explainMachine({ machine, host: undefined, node: undefined, ...(await explainContext(client, [machine], asked)) });

const fleet: Explainer = async (client, asked) => {
  const found = await findNamed(client, machineDeployments, { ...asked, kind: 'fleets' });
  const all = await listMachines(client, found.metadata.namespace);
  const machines = all.filter(machine => belongsToFleet(machine, found));
  const { items: hosts } = await listAll(client, macHosts);
  return explainFleet({ fleet: found, machines, hosts, ...(await explainContext(client, [found], asked)) });
};

const pod: Explainer = async (client, asked) => {
  const found = await findNamed(client, pods, { ...asked, kind: 'guests' });
  const name = found.spec?.nodeName;
  const node = name === undefined ? undefined : await client.find(nodes, { name });
  return explainPod({ pod: found, node, ...(await explainContext(client, [found], asked)) });
};

const pool: Explainer = async (client, asked) => {
  const found = await findNamed(client, runnerPools, { ...asked, kind: 'runnerpools' });
  return explainPool({ pool: found, ...(await explainContext(client, [found], asked)) });
};

const EXPLAINERS: Readonly<Record<ExplainedKind, Explainer>> = {
  host,
  fleet,
  guest: pod,
  runnerpool: pool,
};

async function findNamed<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  asked: ExplainTarget & { readonly kind: string },
): Promise<T> {
  const { name, namespace, kind } = asked;
  const selection = { fieldSelector: `metadata.name=${name}`, ...(namespace === undefined ? {} : { namespace }) };
  const { items } = await client.list(resource, selection);
  const [found, another] = items;
  if (!found) throw notFound(kind, asked);
  if (another) throw NAME_AMBIGUOUS({ kind, name, found: items.map(nameOf).join(', ') });
  return found;
}

/** Commands that list the objects. Guests include Pods without a Node; `minifleet get` has no list of pools. */
const LISTS: Readonly<Record<string, string>> = { guests: 'kubectl get pods -A', runnerpools: 'kubectl get rpool -A' };

const notFound = (kind: string, { name, namespace }: ExplainTarget): Error =>
  OBJECT_NOT_FOUND({ kind, name, where: inNamespace(namespace), list: LISTS[kind] ?? `minifleet get ${kind}` });

/** Lists the events of objects. Events of cluster-scoped objects are in `default`. Without permission the list is empty. */
async function explainContext(
  client: Client,
  objects: readonly KubeObject[],
  { now }: ExplainTarget,
): Promise<{ readonly now: number; readonly events: readonly KubeEvent[] }> {
  const places = new Set(objects.map(({ metadata }) => metadata.namespace ?? 'default'));
  const lists = await Promise.all([...places].map(namespace => listAll(client, events, { namespace })));
  const about = new Set(objects.map(({ metadata }) => metadata.uid));
  return { now, events: lists.flatMap(({ items }) => items).filter(({ regarding }) => about.has(regarding?.uid)) };
}

/** Kinds that can be explained, with their other names: plurals, kubectl names, and the output of `-o name`. */
const KIND_ALIASES = {
  host: [
    ...['hosts', 'mac', 'machost', 'machosts', 'node', 'nodes'],
    ...['samm', 'scalewayapplesiliconmachine', 'scalewayapplesiliconmachines', 'macm', 'macmachine', 'macmachines'],
  ],
  fleet: ['fleets', 'md', 'machinedeployment', 'machinedeployments'],
  guest: ['guests', 'pod', 'pods', 'po', 'runner', 'runners'],
  runnerpool: ['runnerpools', 'rpool'],
} as const;

type ExplainedKind = keyof typeof KIND_ALIASES;

const EXPLAINED_KINDS = Object.keys(KIND_ALIASES) as readonly ExplainedKind[];

/** Resolves `pods`, `samm` or `machosts.minifleet.dev`; undefined for an unknown kind. */
function kindOf(text: string): ExplainedKind | undefined {
  const [word = ''] = text.split('.');
  return EXPLAINED_KINDS.find(kind => kind === word || KIND_ALIASES[kind].some(other => other === word));
}
