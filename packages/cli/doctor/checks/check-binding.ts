import type { MacHost } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { deleting, findCondition, type Node } from '@minifleet/kube';
import { adviceFor } from '../../cluster/advice.ts';
import { consumerOf } from '../../cluster/hosts.ts';
import { adviceValues } from '../../cluster/machine-conditions.ts';
import { hostOf, hostOfNode, type InfraMachine, nameOf } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** Time an agent may take to register its Node. */
const NODE_TIMEOUT = minutes(10);

/** Checks that every machine has one host and one Node. */
export function checkBinding(snapshot: ClusterSnapshot): Diagnosis[] {
  const { machines, hosts, nodes } = snapshot;
  const ours = nodes.items.filter(node => hostOfNode(node) !== undefined);
  return toDiagnoses({
    check: 'binding',
    ok: `${counted(ours.length, 'Node')}, one for each machine`,
    unreadable: [machines.unreadable, hosts.unreadable, nodes.unreadable],
    findings: [
      ...nodesOfOneHost(ours),
      ...machinesOfOneHost(machines.items),
      ...hostsOfOneMachine(hosts.items),
      ...nodesWithoutMachine(ours, machines.items),
      ...machines.items.flatMap(machine => withoutNode(machine, ours, snapshot.now) ?? []),
    ],
  });
}

const nodesOfOneHost = (ours: readonly Node[]): DoctorFinding[] =>
  twice(ours, hostOfNode).map(([host, same]) => ({
    what: `Nodes ${same.map(nameOf).join(' and ')} have the same providerID (host ${host})`,
    impact: 'Cluster API binds the Machine to one of them and may drain and delete the wrong one',
    fix: `find the Node that the host runs as (minifleet host inspect <address>), then kubectl delete node <the other>`,
  }));

const machinesOfOneHost = (all: readonly InfraMachine[]): DoctorFinding[] =>
  twice(all, hostOf).map(([host, same]) => ({
    what: `machines ${same.map(nameOf).join(' and ')} name the same host ${host}`,
    impact: 'only one of them holds the host; the other waits until it is released',
    fix: 'docs/runbooks/duplicate-claim.md',
  }));

const hostsOfOneMachine = (all: readonly MacHost[]): DoctorFinding[] =>
  twice(all, ({ spec }) => spec.consumerRef?.uid).map(([, same]) => ({
    what: `hosts ${same.map(nameOf).join(' and ')} are held by the same machine ${same[0] && consumerOf(same[0])}`,
    impact: 'the machine uses one of them; the other is paid for and unused',
    fix: 'docs/runbooks/duplicate-claim.md',
  }));

function twice<T>(all: readonly T[], hostOfEach: (one: T) => string | undefined): [string, T[]][] {
  const byHost = Map.groupBy(all, one => hostOfEach(one) ?? '');
  return [...byHost].filter(([host, same]) => host !== '' && same.length > 1);
}

const nodesWithoutMachine = (ours: readonly Node[], all: readonly InfraMachine[]): DoctorFinding[] => {
  const held = new Set(all.map(hostOf));
  return ours
    .filter(node => !held.has(hostOfNode(node)))
    .map(node => ({
      what: `Node ${node.metadata.name} belongs to host ${hostOfNode(node)}, which no machine holds`,
      impact: 'Pods are scheduled there, and no controller manages the host',
      fix: `kubectl drain ${node.metadata.name} && kubectl delete node ${node.metadata.name}; see docs/runbooks/orphan-hosts.md`,
    }));
};

/** Reports a bootstrapped machine without a Node. The hosts check reports machines that are not bootstrapped. */
function withoutNode(machine: InfraMachine, ours: readonly Node[], now: number): DoctorFinding | undefined {
  const done = findCondition(machine, 'HostBootstrapped');
  if (deleting(machine) || done?.status !== 'True' || now - Date.parse(done.lastTransitionTime) < NODE_TIMEOUT)
    return undefined;
  if (ours.some(node => hostOfNode(node) === hostOf(machine))) return undefined;
  return {
    what: `${nameOf(machine)} is bootstrapped, but no Node has its providerID`,
    impact: 'the host is paid for and runs no Pods',
    fix: adviceFor('WaitingForNode', adviceValues(machine)) ?? '',
  };
}
