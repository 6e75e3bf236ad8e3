import { readFileSync } from 'node:fs';
import { type Clock, systemClock } from '@minifleet/clock';
import {
  converge,
  createRedactor,
  inspectPlan,
  openHost,
  openSshTransport,
  type Plan,
  Secret,
  type SshTransportOptions,
} from '@minifleet/host';
import type { MacAddress } from '../macs/calls.ts';
import type { HostJob, JobCost } from './calls.ts';
import { countSockets } from './count-sockets.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { oneCommandAConnection } from './one-command-a-connection.ts';
import { planFor } from './plan-for.ts';
import { stopwatch } from './stopwatch.ts';

const USER = 'm1';

interface HostCost {
  readonly changes: number;
  readonly roundTrips: number;
  readonly waited: number;
}

/** Runs one job on all hosts concurrently. Rejects unless every host converges. */
export async function runJob(job: HostJob): Promise<JobCost> {
  const clock = await clockAt(job.speed);
  const plans = await Promise.all(job.hosts.map(address => planFor(job.desired, address)));
  const sockets = countSockets();
  const began = performance.now();
  const shares = await Promise.all(plans.map((plan, index) => runOnHost(job, { plan, clock, index })));
  const seconds = (performance.now() - began) / 1_000;
  const sum = (of: (share: HostCost) => number): number => shares.reduce((total, share) => total + of(share), 0);
  return {
    seconds,
    waited: sum(({ waited }) => waited),
    roundTrips: sum(({ roundTrips }) => roundTrips),
    changes: sum(({ changes }) => changes),
    ...sockets.stop(),
  };
}

/** Loads the world only if needed, because it would count as memory of this process. */
const clockAt = async (speed: number): Promise<Clock> =>
  speed === 1 ? systemClock : (await import('@minifleet/world')).createWorldClock(systemClock, speed);

async function runOnHost(job: HostJob, given: { plan: Plan; clock: Clock; index: number }): Promise<HostCost> {
  const address = job.hosts[given.index] as MacAddress;
  const options = transportOptions(address);
  const watch = stopwatch(job.way === 'minifleet' ? openSshTransport(options) : oneCommandAConnection(options));
  const { transport } = watch;
  const redactor = createRedactor();
  const open = openHost({ transport, user: USER, clock: given.clock, redactor });
  const host = job.way === 'minifleet' ? open : oneAtATime(open);
  try {
    if (job.task === 'plan') {
      const steps = await inspectPlan(host, given.plan);
      const changes = steps.filter(({ state }) => state !== 'current').length;
      return { changes, roundTrips: transport.roundTrips, waited: watch.waited() };
    }
    const convergeOptions = { holder: 'benchmark', allow: 'running VMs', reboot: 'when needed', redactor } as const;
    const { outcome, error, changes } = await converge(host, given.plan, convergeOptions);
    if (outcome !== 'converged') throw new Error(`${address.name} ended ${outcome}: ${error?.message}`);
    return { changes, roundTrips: transport.roundTrips, waited: watch.waited() };
  } finally {
    await transport.close();
  }
}

const transportOptions = ({ port, keyFile }: MacAddress): SshTransportOptions => ({
  address: '127.0.0.1',
  port,
  user: USER,
  privateKey: new Secret('fleet key', readFileSync(keyFile)),
  hostKey: { firstContact: 'accept' },
  // Real time, because the speed of the simulated macOS does not make this machine faster.
  clock: systemClock,
});
