import { availableParallelism, loadavg } from 'node:os';
import { KUBERNETES_VERSION } from '@minifleet/local-cluster';
import type { Report } from '../benchmark.ts';
import { formatNumber } from '../report/table.ts';
import { SCHEDULER } from './cluster/start-cluster.ts';
import type { ExecutableFigures } from './host/executable.ts';
import type { AgentHostFigures } from './host/measure-host.ts';
import type { FleetFigures } from './measure/measure-fleets.ts';
import { BOOT_MS, DELETION, FEW, FLEET, IDLE, LOG_MEGABYTES } from './names.ts';

export interface AgentFigures extends FleetFigures {
  /** Load of the machine before the start. */
  readonly loadBefore: number;
  readonly host: AgentHostFigures;
  readonly executables: readonly ExecutableFigures[];
}

/** Measure, Minifleet, baseline, aim; missing cells at the end are empty. */
type ReportRow = readonly string[];

export function agentReport({ loadBefore, ...figures }: AgentFigures): Report {
  const environment = {
    node: process.version,
    kubernetes: KUBERNETES_VERSION,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    load: { before: loadBefore, after: loadavg()[0] ?? 0 },
    scheduler: SCHEDULER,
  };
  const { load } = environment;
  return {
    header: [
      'agent: a node that watches its guests, compared with one that polls every 5 s, as virtual-kubelet does for providers without notifications',
      `Node ${environment.node}, Kubernetes ${KUBERNETES_VERSION}, ${environment.platform}, ${environment.cores} cores for all of it; load ${load.before.toFixed(1)} before the first process, ${load.after.toFixed(1)} at the end`,
      `“added” is from the binding to Running, seen by one watch, without the guest’s boot of ${BOOT_MS} ms; scheduler: client ${SCHEDULER.qps} requests/s, percentageOfNodesToScore ${SCHEDULER.percentageOfNodesToScore}`,
      `fleet: ${FLEET.nodes} nodes in ${FLEET.processes} processes, each with its identity, connections and lease, two Pods a node, no tokens; the rest: the built executable under launchd of a simulated Mac`,
    ],
    columns: ['measure', 'minifleet', 'baseline', 'aim'],
    rows: [...fewRows(figures), ...fleetRows(figures), ...hostRows(figures), ...serverRows(figures)].map(row => [
      ...row,
    ]),
    figures: { environment, ...figures },
  };
}

const atMost = (value: number, most: number): string => `≤ ${most}: ${value <= most ? 'met' : 'missed'}`;
const atLeast = (value: number, least: number): string => `≥ ${least}: ${value >= least ? 'met' : 'missed'}`;

function fewRows({ few: { minifleet, polling }, deletion }: AgentFigures | FleetFigures): ReportRow[] {
  const both = (name: string, figure: (of: typeof minifleet) => number, aim = ''): ReportRow => [
    name,
    formatNumber(figure(minifleet)),
    formatNumber(figure(polling)),
    aim,
  ];
  const { alone, whileAnotherPulls } = deletion;
  // Both take some tens of milliseconds; less than twice as long counts as equal.
  const affected = whileAnotherPulls.p50 > 2 * alone.p50;
  return [
    both(`added p50, ${FEW.nodes} nodes, ${FEW.perSecond} Pods/s, ms`, of => of.added.p50),
    both('added p99, ms', of => of.added.p99, atMost(minifleet.added.p99, 100)),
    both('status writes in a Pod’s life', of => of.statusWrites),
    both('requests in a Pod’s life (with token and events)', of => of.requests),
    both('deletion of a running Pod p50, ms', of => of.deletion.p50),
    [
      `deletion while another Pod pulls p50, ms (${DELETION.pods}; baseline: alone)`,
      formatNumber(whileAnotherPulls.p50),
      formatNumber(alone.p50),
      `unaffected: ${affected ? 'missed' : 'met'}`,
    ],
  ];
}

function fleetRows({ fleet: { trickle, burst, processorSeconds } }: AgentFigures | FleetFigures): ReportRow[] {
  const { added } = trickle;
  const pods = FLEET.pods.toLocaleString('en-US');
  return [
    [`added p50, ${FLEET.nodes} nodes, ${FLEET.perSecond} Pods/s, ms`, formatNumber(added.p50)],
    [`added p99, ${FLEET.nodes} nodes, ms`, formatNumber(added.p99), '', atMost(added.p99, 250)],
    [`${pods} Pods at once, all created, s`, formatNumber(burst.created)],
    [`${pods} Pods at once, all bound, s`, formatNumber(burst.bound)],
    [`${pods} Pods at once, all Running, s`, formatNumber(burst.running), '', atMost(burst.running, 8)],
    ['  CPU time of the agents, s', formatNumber(processorSeconds.agents)],
    ['  CPU time of the control plane, s', formatNumber(processorSeconds.controlPlane)],
  ];
}

function hostRows({ host: { start, idle }, executables }: Pick<AgentFigures, 'host' | 'executables'>): ReportRow[] {
  return [
    ['start → Node registered, s', formatNumber(start.registeredMs / 1_000)],
    ['start → Node Ready, s', formatNumber(start.readyMs / 1_000), '', atMost(start.readyMs / 1_000, 3)],
    [
      `idle with ${IDLE.guests} guests, agent, % of a core`,
      formatNumber(idle.agentPercent),
      '',
      atMost(idle.agentPercent, 0.5),
    ],
    ['  host programs that it runs, %', formatNumber(idle.programsPercent)],
    ['  a supervisor, %', formatNumber(idle.supervisorPercent)],
    ['RSS of the agent, MB', formatNumber(idle.agentMegabytes), '', atMost(idle.agentMegabytes, 90)],
    ['  without the executable’s own pages, MB', formatNumber(idle.agentAnonymousMegabytes)],
    ['RSS of a supervisor, MB', formatNumber(idle.supervisorMegabytes)],
    ['  without the executable’s own pages, MB', formatNumber(idle.supervisorAnonymousMegabytes)],
    ...executables.map(
      ({ platform, megabytes, bundleMegabytes }): ReportRow => [
        `executable for ${platform}, MB (the agent in it)`,
        `${formatNumber(megabytes)} (${formatNumber(bundleMegabytes)})`,
      ],
    ),
    ...executables.flatMap(({ platform, startMs }): ReportRow[] =>
      startMs === undefined ? [] : [[`start of ${platform} until --version, ms`, formatNumber(startMs)]],
    ),
  ];
}

function serverRows({ host: { exec, logs } }: Pick<AgentFigures, 'host'>): ReportRow[] {
  const slower = logs.minifleet / logs.ceiling;
  return [
    ['kubectl exec p50, ms (baseline: kubectl get)', formatNumber(exec.exec.p50), formatNumber(exec.kubectlAlone.p50)],
    [`log of ${LOG_MEGABYTES} MB from our server, MB/s`, formatNumber(logs.server), '', atLeast(logs.server, 50)],
    [
      'kubectl logs, MB/s (baseline: from memory)',
      formatNumber(logs.minifleet),
      formatNumber(logs.ceiling),
      `${Math.round(slower * 100)} % of the ceiling`,
    ],
  ];
}
