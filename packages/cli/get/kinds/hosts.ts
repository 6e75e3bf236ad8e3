import type { InfraMachine, MacHost } from '@minifleet/api';
import * as names from '@minifleet/api/names';
import { deleting, findCondition, isConditionTrue, type Node } from '@minifleet/kube/client';
import { consumerOf, hostState, quarantineOf, readyMessage, sinceOf } from '../../cluster/hosts.ts';
import { blockingCondition, isInProgress, unmetConditions } from '../../cluster/machine-conditions.ts';
import { hostOf, hostOfNode, ownerOf } from '../../cluster/machines.ts';
import type { Paint } from '../../terminal/paint.ts';
import { age } from '../age.ts';
import type { ListingRow, ResourceListing } from '../listing.ts';

/**
 * All Macs, with the machine and the Node of each, and machines that have no Mac. A Mac has the name of its machine, which users know from
 * their Nodes; a free Mac has the name of its MacHost.
 */
export const hosts: ResourceListing = {
  sources: ['machines', 'hosts', 'nodes'],
  required: ['hosts'],
  columns: [
    { title: 'NAMESPACE', drop: 4 },
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'READY', drop: 1 },
    { title: 'SINCE', drop: 0 },
    { title: 'POOL', drop: 6 },
    { title: 'NODE', drop: 3 },
    { title: 'FLEET', drop: 2 },
    { title: 'MACOS', drop: 7 },
    { title: 'STEP', drop: 5 },
    { title: 'HOST', drop: 8 },
    { title: 'ADDRESS', wide: true },
    { title: 'AGENT', wide: true },
    { title: 'ZONE', wide: true },
    { title: 'EPOCH', wide: true },
    { title: 'VENDOR-NAME', wide: true },
    { title: 'FAILURES', wide: true },
    { title: 'WHY' },
  ],
  lines({ machines, hosts: all, nodes }, now) {
    const nodeOf = new Map(nodes.map(node => [hostOfNode(node), node]));
    const machineOf = new Map(machines.map(machine => [machine.metadata.uid, machine]));
    const holders = new Set(all.map(({ spec }) => spec.consumerRef?.uid));
    const others = machines.filter(({ metadata }) => !holders.has(metadata.uid));
    return [
      ...all.map(host => {
        const machine = machineOf.get(host.spec.consumerRef?.uid);
        return hostLine({ host, machine, node: nodeOf.get(host.metadata.name) }, now);
      }),
      ...others.map(machine => machineLine(machine, now)),
    ];
  },
};

interface ListedHost {
  readonly host: MacHost;
  readonly machine: InfraMachine | undefined;
  readonly node: Node | undefined;
}

function hostLine(listed: ListedHost, now: number): ListingRow {
  const { host, machine, node } = listed;
  const { metadata, spec, status = {} } = host;
  const { why, mood } = judge(listed);
  return {
    object: host,
    selectedBy: machine,
    names: [spec.consumerRef?.name, machine && ownerOf(machine)?.name, node?.metadata.name],
    mood,
    cells: {
      NAMESPACE: spec.consumerRef?.namespace ?? '',
      NAME: spec.consumerRef?.name ?? metadata.name,
      STATE: hostState(host),
      READY: findCondition(machine ?? host, 'Ready')?.status ?? '',
      SINCE: age(sinceOf(host), now),
      POOL: spec.pool,
      NODE: node?.metadata.name ?? '',
      FLEET: (machine && fleetOf(machine)) ?? spec.desired?.fleet ?? '',
      MACOS: status.hardware?.macOS ?? '',
      STEP: status.currentStep ?? '',
      HOST: metadata.name,
      AGENT: node?.metadata.labels?.[names.labels.agentVersion] ?? '',
      ...wideCells(host),
      WHY: why,
    },
  };
}

function wideCells({ spec, status = {} }: MacHost): Readonly<Record<string, string>> {
  const { scaleway, owned } = spec.source;
  const { addresses = [], vendorName = '', failures = [] } = status;
  return {
    ADDRESS: addresses[0]?.address ?? owned?.address ?? '',
    ZONE: scaleway?.zone ?? '',
    EPOCH: String(spec.claimEpoch),
    'VENDOR-NAME': vendorName,
    FAILURES: String(failures.reduce((sum, { count }) => sum + count, 0)),
  };
}

const fleetOf = ({ metadata, spec }: InfraMachine): string | undefined =>
  metadata.labels?.[names.clusterApi.deploymentNameLabel] ?? spec.fleetName;

interface HostJudgement {
  readonly why: string;
  readonly mood: keyof Paint;
}

function judge({ host, machine }: ListedHost): HostJudgement {
  const state = hostState(host);
  if (state === 'Quarantined') return { why: quarantineOf(host)?.reason ?? '', mood: 'doubtful' };
  if (state === 'Missing') return { why: readyMessage(host), mood: 'bad' };
  if (!host.spec.consumerRef) return { why: readyMessage(host), mood: 'quiet' };
  return machine ? judgeHeld(host, machine) : { why: `its machine ${consumerOf(host)} does not exist`, mood: 'bad' };
}

/** States in which the host says more than its machine. */
const HOST_STATES: readonly string[] = ['Releasing', 'Restarting', 'Reinstalling'];

function judgeHeld(host: MacHost, machine: InfraMachine): HostJudgement {
  const paused = findCondition(machine, 'Paused');
  if (paused?.status === 'True') return { why: messageOf(paused), mood: 'quiet' };
  if (deleting(machine) || HOST_STATES.includes(hostState(host))) {
    return { why: readyMessage(host) || messageOf(findCondition(machine, 'Deleting')), mood: 'quiet' };
  }
  const obstacle = blockingCondition(machine);
  if (obstacle) return { why: messageOf(obstacle), mood: isInProgress(obstacle) ? 'doubtful' : 'bad' };
  const { quarantine } = host.spec;
  const later = quarantine ? `quarantined after its release: ${quarantine.reason}` : '';
  // Shown for a Ready host too, so that it is noticed before the host fails.
  const why = messageOf(unmetConditions(machine)[0]) || later;
  return { why, mood: why !== '' || !isConditionTrue(machine, 'Ready') ? 'doubtful' : 'good' };
}

/** Returns the message of a condition, or its reason. */
const messageOf = (condition: ReturnType<typeof findCondition>): string =>
  condition?.message || condition?.reason || '';

function machineLine(machine: InfraMachine, now: number): ListingRow {
  const { metadata } = machine;
  const obstacle = findCondition(machine, deleting(machine) ? 'Deleting' : 'Paused');
  const by = obstacle?.status === 'True' ? obstacle : blockingCondition(machine);
  return {
    object: machine,
    names: [ownerOf(machine)?.name, hostOf(machine)],
    mood: deleting(machine) ? 'quiet' : 'doubtful',
    cells: {
      NAMESPACE: metadata.namespace ?? '',
      NAME: metadata.name,
      STATE: deleting(machine) ? 'Deleting' : 'NoHost',
      READY: findCondition(machine, 'Ready')?.status ?? '',
      SINCE: age(by?.lastTransitionTime ?? metadata.creationTimestamp, now),
      POOL: 'pool' in machine.spec ? (machine.spec.pool ?? '') : '',
      FLEET: fleetOf(machine) ?? '',
      HOST: hostOf(machine) ?? '',
      WHY: messageOf(by),
    },
  };
}
