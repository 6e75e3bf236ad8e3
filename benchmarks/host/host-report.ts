import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import type { Report } from '../benchmark.ts';
import { formatNumber } from '../report/table.ts';
import type { JobCost } from './caller/calls.ts';
import { LARGE_MEGABYTES } from './macs/write-artifacts.ts';
import type { HostFleetFigures } from './measure/fleet.ts';
import type { OneHostFigures } from './measure/one-host.ts';
import { type BothModes, FLEET, ONE_HOST } from './names.ts';

export interface HostFigures {
  readonly oneHost: BothModes<OneHostFigures>;
  readonly fleet: HostFleetFigures;
}

type ReportRow = readonly string[];

export function hostReport(figures: HostFigures): Report {
  const environment = {
    node: process.version,
    ssh2: ssh2Version(),
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    load: loadavg()[0] ?? 0,
    speed: { oneHost: ONE_HOST.speed, fleet: FLEET.speed },
  };
  return {
    header: [
      'host: the whole plan of a simulated node over SSH, compared with the same work with one connection per command',
      `Node ${environment.node}, ssh2 ${environment.ssh2}, ${environment.platform}, ${environment.cores} cores, load ${environment.load.toFixed(1)} at the end; Macs and callers in separate processes; connecting is included`,
      `one host: median of ${ONE_HOST.runs} new Macs, whose macOS is ${ONE_HOST.speed} times as fast as a real one (reboot, login, stability check of the agent); “work” is the time with a running command`,
      `${FLEET.hosts} hosts: once, in real time`,
    ],
    columns: ['measure', 'minifleet', 'one command a connection', 'aim'],
    rows: [...oneHostRows(figures.oneHost), ...fleetRows(figures.fleet)],
    figures: { environment, ...figures },
  };
}

function oneHostRows(both: BothModes<OneHostFigures>): ReportRow[] {
  const { noOp, config, agent } = both.minifleet;
  return [
    ...prices('new host to converged', both, ({ fresh }) => fresh),
    row('no-op converge, ms', both, of => of.noOp.seconds * 1_000, aim('300', noOp.seconds * 1_000, 300)),
    row('no-op converge, round trips', both, of => of.noOp.roundTrips, aim('10', noOp.roundTrips, 10)),
    row('plan, ms', both, of => of.plan.seconds * 1_000),
    row('roll of a small file, ms', both, of => of.config.seconds * 1_000),
    row('roll of a small file, round trips', both, of => of.config.roundTrips, aim('5', config.roundTrips, 5)),
    row('roll of a small file, kB sent', both, of => of.config.bytesSent / 1e3),
    row('roll of the agent (2 steps, restart), work ms', both, of => work(of.agent) * 1_000),
    row('roll of the agent, round trips', both, of => of.agent.roundTrips, aim('5', agent.roundTrips, 5)),
    row('roll of the agent, kB sent', both, of => of.agent.bytesSent / 1e3),
    row(`roll of an agent of ${LARGE_MEGABYTES} MB, work s`, both, of => work(of.largeAgent)),
    row(`roll of an agent of ${LARGE_MEGABYTES} MB, MB sent`, both, of => of.largeAgent.bytesSent / 1e6),
  ];
}

function prices(name: string, both: BothModes<OneHostFigures>, price: (of: OneHostFigures) => JobCost): ReportRow[] {
  return [
    row(`${name}, s`, both, of => price(of).seconds),
    row(`${name}, work s`, both, of => work(price(of))),
    row(`${name}, round trips`, both, of => price(of).roundTrips),
    row(`${name}, connections`, both, of => price(of).connections),
  ];
}

function fleetRows({ planOfNew, fresh, noOp, plan, peakMemory, few }: HostFleetFigures): ReportRow[] {
  const megabytes = peakMemory / 1e6;
  const all = `${FLEET.hosts} hosts`;
  const other = few['one command a connection'];
  return [
    [`${all}, new to converged, s`, formatNumber(fresh.seconds), '', aim('90', fresh.seconds, 90)],
    [`${all}, peak memory, MB`, formatNumber(megabytes), '', aim('400', megabytes, 400)],
    [`${all}, no-op converge, s`, formatNumber(noOp.seconds), '', ''],
    [`${all}, plan, s`, formatNumber(plan.seconds), '', ''],
    [`${all}, plan of new ones, s`, formatNumber(planOfNew.seconds), '', ''],
    [`${FLEET.few} hosts, no-op converge, s`, formatNumber(few.minifleet.seconds), formatNumber(other.seconds), ''],
  ];
}

const work = ({ seconds, waited }: JobCost): number => seconds - waited;

const row = (
  name: string,
  both: BothModes<OneHostFigures>,
  figure: (of: OneHostFigures) => number,
  target = '',
): ReportRow => [
  name,
  formatNumber(figure(both.minifleet)),
  formatNumber(figure(both['one command a connection'])),
  target,
];

const aim = (limit: string, value: number, most: number): string => `≤ ${limit}: ${value <= most ? 'met' : 'missed'}`;

function ssh2Version(): string {
  const file = new URL('../../node_modules/ssh2/package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
