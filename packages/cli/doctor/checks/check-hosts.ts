import { type MacHost, names, parseUnmanagedServers } from '@minifleet/api';
import { formatAge, minutes } from '@minifleet/clock';
import { deleting, findCondition, isConditionTrue } from '@minifleet/kube';
import { adviceFor } from '../../cluster/advice.ts';
import { consumerOf, hostState, quarantineOf, readyMessage, sinceOf } from '../../cluster/hosts.ts';
import { adviceValues, blockingCondition, isInProgress } from '../../cluster/machine-conditions.ts';
import { hostOf, type InfraMachine, nameOf } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** Same threshold as the alert MachineStuck: the longest bootstrap of a new host. */
const BOOTSTRAP_TIMEOUT = minutes(30);
/** A release includes the jobs that finish first and the reinstallation. */
const RELEASE_TIMEOUT = minutes(60);
/** Same threshold as the alert for unmanaged servers: an operator needs time to name a new server. */
const UNMANAGED_TIMEOUT = minutes(24 * 60);
/** Reasons that the provider repairs by itself. They are a problem only if they last. */
const SELF_REPAIRED: readonly string[] = ['StepWaiting', 'DriftFound'];
/** Reasons that other checks report. */
const OTHER_CHECKS: readonly string[] = ['NoHostAvailable', 'WaitingForNode', 'ProviderIDMismatch'];

/** Reports machines that are not Ready, and hosts in a wrong state. One fault gives one finding, even if both show it. */
export function checkHosts({ machines, hosts, now }: ClusterSnapshot): Diagnosis[] {
  const lost = hosts.items.flatMap(host => {
    const finding = lostFinding(host, machines.items);
    return finding ? [{ host, finding }] : [];
  });
  const lostNames = new Set(lost.map(({ host }) => host.metadata.name));
  const alive = machines.items.filter(machine => !deleting(machine) && !isConditionTrue(machine, 'Paused'));
  const notReady = alive
    .filter(machine => !lostNames.has(hostOf(machine) ?? ''))
    .flatMap(machine => {
      const finding = machineFinding(machine, now);
      return finding ? [{ machine, finding }] : [];
    });
  const reported = new Set([...lostNames, ...notReady.map(({ machine }) => hostOf(machine))]);
  const stuck = hosts.items
    .filter(({ metadata }) => !reported.has(metadata.name))
    .flatMap(host => renamedFinding(host) ?? stuckFinding(host, now) ?? []);
  const all = `${counted(hosts.items.length, 'host')}, ${counted(machines.items.length, 'machine')}`;
  return toDiagnoses({
    check: 'hosts',
    ok: `${all}, all healthy`,
    unreadable: [machines.unreadable, hosts.unreadable],
    findings: [...[...lost, ...notReady].map(({ finding }) => finding), ...stuck],
  });
}

/** Reports a host whose server or whose machine no longer exists. */
function lostFinding(host: MacHost, machines: readonly InfraMachine[]): DoctorFinding | undefined {
  const { name } = host.metadata;
  const { consumerRef } = host.spec;
  const consumer = consumerOf(host);
  const machine = machines.find(({ metadata }) => metadata.uid === consumerRef?.uid);
  if (hostState(host) === 'Missing') {
    const fix = machine
      ? adviceFor('HostVanished', adviceValues(machine))
      : `kubectl delete machost ${name}, if the server was terminated at Scaleway; see docs/runbooks/host-missing.md`;
    return {
      what: `host ${name} is Missing: the vendor no longer lists its server`,
      impact: machine ? `${consumer} has no host, and the fleet is one host short` : 'no machine can claim it',
      fix: fix ?? '',
    };
  }
  if (consumer === undefined || machine) return undefined;
  return {
    what: `host ${name} is held by machine ${consumer}, which does not exist`,
    impact: 'no machine can claim it, and it is still paid for',
    fix: 'docs/runbooks/orphan-hosts.md; the provider returns such hosts with provider.reclaimOrphans=true',
  };
}

function machineFinding(machine: InfraMachine, now: number): DoctorFinding | undefined {
  const obstacle = blockingCondition(machine);
  if (!obstacle || OTHER_CHECKS.includes(obstacle.reason)) return undefined;
  const since = now - Date.parse(obstacle.lastTransitionTime);
  if ((isInProgress(obstacle) || SELF_REPAIRED.includes(obstacle.reason)) && since < BOOTSTRAP_TIMEOUT)
    return undefined;
  const about = adviceValues(machine);
  return {
    what: `${nameOf(machine)} is not Ready: ${obstacle.reason}${obstacle.message === '' ? '' : `: ${obstacle.message}`}`,
    impact: 'no Pod is scheduled there, and the fleet is one host short',
    fix:
      adviceFor(obstacle.reason, about) ??
      `minifleet explain host/${machine.metadata.name} -n ${machine.metadata.namespace}`,
  };
}

/** Reports a host whose server was renamed: by somebody else, or before etcd was restored from a backup. */
function renamedFinding(host: MacHost): DoctorFinding | undefined {
  const { metadata, spec, status } = host;
  const { vendorName, state } = status ?? {};
  if (!spec.source.scaleway || vendorName === undefined) return undefined;
  const outsidePool = state === 'Available' && !vendorName.startsWith(spec.pool);
  const taken = state === 'Serving' && findCondition(host, 'NameMirrored')?.reason === 'NameTaken';
  if (!outsidePool && !taken) return undefined;
  return {
    what: `host ${metadata.name} is not Ready: ${readyMessage(host)}`,
    impact: taken ? 'the provider no longer inspects, repairs or updates it' : 'no machine can claim it',
    fix: `minifleet explain host/${metadata.name}; docs/runbooks/host-renamed.md`,
  };
}

/** States that end by themselves, each with the time after which a host is stuck in it. */
const PASSING_STATES: Readonly<Record<string, number>> = {
  Claimed: BOOTSTRAP_TIMEOUT,
  Bootstrapping: BOOTSTRAP_TIMEOUT,
  Restarting: BOOTSTRAP_TIMEOUT,
  Reinstalling: RELEASE_TIMEOUT,
  Releasing: RELEASE_TIMEOUT,
};

function stuckFinding(host: MacHost, now: number): DoctorFinding | undefined {
  const state = hostState(host);
  const since = Date.parse(sinceOf(host) ?? '');
  const limit = PASSING_STATES[state];
  if (limit === undefined || !(now - since > limit)) return undefined;
  const why = readyMessage(host);
  return {
    what: `host ${host.metadata.name} has been ${state} for ${formatAge(since, now)}${why === '' ? '' : `: ${why}`}`,
    impact: 'its machine does not serve, and no other machine can claim the host',
    fix: `minifleet explain host/${host.metadata.name}; docs/runbooks/machine-stuck.md`,
  };
}

/** Reports quarantined hosts, machines that find no host, and servers that nothing manages. */
export function checkPool({ hosts, machines, unmanaged, now }: ClusterSnapshot): Diagnosis[] {
  const quarantined = hosts.items.filter(host => quarantineOf(host) !== undefined);
  const held = hosts.items.filter(({ spec }) => spec.consumerRef !== undefined);
  const waiting = machines.items.filter(machine => findCondition(machine, 'HostClaimed')?.reason === 'NoHostAvailable');
  const short: DoctorFinding[] =
    waiting.length === 0
      ? []
      : [
          {
            what: `${counted(waiting.length, 'machine')} ${waiting.length === 1 ? 'waits' : 'wait'} for a free host: ${waiting.map(nameOf).join(', ')}`,
            impact: 'the fleet stays below its desired size',
            fix: `order a host and name it ${names.vendorNames.poolPrefix}<n>, add an owned Mac (minifleet host add), or release one; see docs/runbooks/pool-empty.md`,
          },
        ];
  return toDiagnoses({
    check: 'pool',
    ok: `${counted(hosts.items.length - held.length, 'free host')}, ${held.length} claimed, none quarantined, no machine waits for a host`,
    unreadable: [hosts.unreadable, machines.unreadable],
    unreadableItems: unmanaged.unreadable === undefined ? [] : [unmanaged.unreadable],
    findings: [...quarantined.map(quarantineFinding), ...short, ...unmanagedFinding(unmanaged.items, now)],
  });
}

function quarantineFinding(host: MacHost): DoctorFinding {
  const { name } = host.metadata;
  const { reason, until } = quarantineOf(host) ?? { reason: '' };
  return {
    what: `host ${name} is quarantined: ${reason}${until === undefined ? '' : `; the quarantine ends at ${until}`}`,
    impact: 'no machine can claim it',
    fix: `once it is healthy: minifleet release ${name}; see docs/runbooks/host-quarantined.md`,
  };
}

function unmanagedFinding(lists: ClusterSnapshot['unmanaged']['items'], now: number): DoctorFinding[] {
  const servers = lists
    .flatMap(({ data }) => parseUnmanagedServers(data))
    .filter(({ since }) => now - Date.parse(since) > UNMANAGED_TIMEOUT);
  if (servers.length === 0) return [];
  return [
    {
      what: `${counted(servers.length, 'server')} of the Scaleway project ${servers.length === 1 ? 'has' : 'have'} no MacHost and no pool: ${servers.map(({ name }) => name).join(', ')}`,
      impact: 'the servers are paid for, and no machine can claim them',
      fix: 'minifleet get hosts --unmanaged; see docs/runbooks/unmanaged-servers.md',
    },
  ];
}
