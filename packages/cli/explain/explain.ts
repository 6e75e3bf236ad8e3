import {
  type Client,
  events,
  type KubeEvent,
  type KubeObject,
  type Node,
  nodes,
  pods,
  type Resource,
} from '@minifleet/kube/client';
import { NAME_AMBIGUOUS, OBJECT_NOT_FOUND } from '../cluster/errors.ts';
import { findHost } from '../cluster/find-host.ts';
import { listAll } from '../cluster/list-all.ts';
import { findMachine, hostOf, hostOfNode, inNamespace, listMachines, nameOf } from '../cluster/machines.ts';
import { machineDeployments, runnerPools } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { belongsToFleet } from '../get/kinds/fleets.ts';
import { untilAborted } from '../stop.ts';
import { lineWidth } from '../terminal/table.ts';
import { wrap } from '../terminal/wrap.ts';
import { explainClaim } from './explain-claim.ts';
import type { ExplainRequest } from './explain-command.ts';
import { explainFleet } from './explain-fleet.ts';
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

/** Finds a host by machine name, Node name or server id. A host without a machine is explained from its claim. */
const host: Explainer = async (client, asked) => {
  const all = await listAll(client, nodes);
  const machine = (await findMachine(client, asked)) ?? (await machineByNodeOrHost(client, asked, all.items));
  if (!machine) return claim(client, asked);
  const node = all.items.find(each => hostOfNode(each) !== undefined && hostOfNode(each) === hostOf(machine));
  return explainMachine({ machine, node, ...(await explainContext(client, machine, asked)) });
};

async function machineByNodeOrHost(client: Client, { name, namespace }: ExplainTarget, all: readonly Node[]) {
  const node = all.find(({ metadata }) => metadata.name === name);
  const id = node ? hostOfNode(node) : name;
  return (await listMachines(client, namespace)).find(machine => hostOf(machine) === id);
}

const claim: Explainer = async (client, asked) => {
  const found = (await findHost(client, asked)).claim;
  if (!found) throw notFound('claims', asked);
  return explainClaim({ claim: found, ...(await explainContext(client, found, asked)) });
};

const fleet: Explainer = async (client, asked) => {
  const found = await findNamed(client, machineDeployments, { ...asked, kind: 'fleets' });
  const all = await listMachines(client, found.metadata.namespace);
  const machines = all.filter(machine => belongsToFleet(machine, found));
  return explainFleet({ fleet: found, machines, ...(await explainContext(client, found, asked)) });
};

const pod: Explainer = async (client, asked) => {
  const found = await findNamed(client, pods, { ...asked, kind: 'guests' });
  const name = found.spec?.nodeName;
  const node = name === undefined ? undefined : await client.find(nodes, { name });
  return explainPod({ pod: found, node, ...(await explainContext(client, found, asked)) });
};

const pool: Explainer = async (client, asked) => {
  const found = await findNamed(client, runnerPools, { ...asked, kind: 'runnerpools' });
  return explainPool({ pool: found, ...(await explainContext(client, found, asked)) });
};

const EXPLAINERS: Readonly<Record<ExplainedKind, Explainer>> = {
  host,
  fleet,
  claim,
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

/** Lists the events of an object. Events of cluster-scoped objects are in `default`. Without permission the list is empty. */
async function explainContext(
  client: Client,
  { metadata }: KubeObject,
  { now }: ExplainTarget,
): Promise<{ readonly now: number; readonly events: readonly KubeEvent[] }> {
  const { items } = await listAll(client, events, { namespace: metadata.namespace ?? 'default' });
  return { now, events: items.filter(({ regarding }) => regarding?.uid === metadata.uid) };
}

/** Kinds that can be explained, with their other names: plurals, kubectl names, and the output of `-o name`. */
const KIND_ALIASES = {
  host: ['hosts', 'samm', 'scalewayapplesiliconmachine', 'scalewayapplesiliconmachines', 'node', 'nodes'],
  fleet: ['fleets', 'md', 'machinedeployment', 'machinedeployments'],
  claim: ['claims', 'hclaim', 'hostclaim', 'hostclaims'],
  guest: ['guests', 'pod', 'pods', 'po', 'runner', 'runners'],
  runnerpool: ['runnerpools', 'rpool'],
} as const;

type ExplainedKind = keyof typeof KIND_ALIASES;

const EXPLAINED_KINDS = Object.keys(KIND_ALIASES) as readonly ExplainedKind[];

/** Resolves `pods`, `samm` or `hostclaims.infrastructure.cluster.x-k8s.io`; undefined for an unknown kind. */
function kindOf(text: string): ExplainedKind | undefined {
  const [word = ''] = text.split('.');
  return EXPLAINED_KINDS.find(kind => kind === word || KIND_ALIASES[kind].some(other => other === word));
}
