import { minutes } from '@minifleet/clock';
import { deleting, findCondition, type Node } from '@minifleet/kube';
import { adviceFor } from '../../cluster/advice.ts';
import { adviceValues } from '../../cluster/machine-conditions.ts';
import { hostOf, nameOf, parseProviderID, type ScalewayAppleSiliconMachine } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** How long an agent may take from its start until it has a Node. */
const PATIENCE = minutes(10);

/** One machine, one host, one Node: whoever breaks that is named. */
export function checkBinding(seen: ClusterSnapshot): Diagnosis[] {
  const { machines, nodes } = seen;
  const ours = nodes.items.filter(node => hostBehind(node) !== undefined);
  return toDiagnoses({
    check: 'binding',
    well: `${counted(ours.length, 'Node')}, each of one machine`,
    unreadable: [machines.unreadable, nodes.unreadable],
    findings: [
      ...nodesOfOneHost(ours),
      ...machinesOfOneHost(machines.items),
      ...nodesWithoutMachine(ours, machines.items),
      ...machines.items.flatMap(machine => withoutNode(machine, ours, seen.now) ?? []),
    ],
  });
}

const hostBehind = (node: Node): string | undefined => parseProviderID(node.spec?.providerID)?.id;

const nodesOfOneHost = (ours: readonly Node[]): DoctorFinding[] =>
  twice(ours, hostBehind).map(([host, same]) => ({
    what: `Nodes ${same.map(nameOf).join(' and ')} have the providerID of one host, ${host}`,
    matters: 'Cluster API binds a Machine to either of them, and may drain and delete the wrong one',
    fix: `find out which the host runs as (minifleet host inspect <address>), then kubectl delete node <the other>`,
  }));

const machinesOfOneHost = (all: readonly ScalewayAppleSiliconMachine[]): DoctorFinding[] =>
  twice(all, hostOf).map(([host, same]) => ({
    what: `machines ${same.map(nameOf).join(' and ')} name one host, ${host}`,
    matters: 'only one of them holds it; the other does nothing until one lets go',
    fix: 'docs/runbooks/duplicate-claim.md',
  }));

function twice<T>(all: readonly T[], hostOfEach: (one: T) => string | undefined): [string, T[]][] {
  const byHost = Map.groupBy(all, one => hostOfEach(one) ?? '');
  return [...byHost].filter(([host, same]) => host !== '' && same.length > 1);
}

const nodesWithoutMachine = (ours: readonly Node[], all: readonly ScalewayAppleSiliconMachine[]): DoctorFinding[] => {
  const held = new Set(all.map(hostOf));
  return ours
    .filter(node => !held.has(hostBehind(node)))
    .map(node => ({
      what: `Node ${node.metadata.name} is of host ${hostBehind(node)}, which no machine holds`,
      matters: 'Pods are put there, and nobody looks after the host',
      fix: `kubectl drain ${node.metadata.name} && kubectl delete node ${node.metadata.name}; see docs/runbooks/orphan-hosts.md`,
    }));
};

/** Its plan is in force, so that its agent runs; whoever is not that far is told of as a host. */
function withoutNode(
  machine: ScalewayAppleSiliconMachine,
  ours: readonly Node[],
  now: number,
): DoctorFinding | undefined {
  const done = findCondition(machine, 'HostBootstrapped');
  if (deleting(machine) || done?.status !== 'True' || now - Date.parse(done.lastTransitionTime) < PATIENCE)
    return undefined;
  if (ours.some(node => hostBehind(node) === hostOf(machine))) return undefined;
  return {
    what: `${nameOf(machine)} is set up, and no Node has its providerID`,
    matters: 'the host costs and takes no Pods',
    fix: adviceFor('WaitingForNode', adviceValues(machine)) ?? '',
  };
}
