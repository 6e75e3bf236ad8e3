import type { Progress } from '../../benchmark.ts';
import type { HostJob, JobCost, TransportMode } from '../caller/calls.ts';
import { type Caller, startCaller } from '../caller/start-caller.ts';
import type { HostMacs } from '../macs/start-macs.ts';
import { type BothModes, FLEET } from '../names.ts';

export interface HostFleetFigures {
  readonly planOfNew: JobCost;
  readonly fresh: JobCost;
  readonly noOp: JobCost;
  readonly plan: JobCost;
  /** Peak memory of the caller in bytes. */
  readonly peakMemory: number;
  /** No-op converges of a few hosts with both transports. */
  readonly few: BothModes<JobCost>;
}

/** Measures all Macs concurrently, from new to converged, and then without changes. */
export async function measureFleet(
  { macs, caller }: { readonly macs: HostMacs; readonly caller: Caller },
  progress: Progress,
): Promise<HostFleetFigures> {
  const { agent, tart } = macs.artifacts;
  const job: HostJob = {
    task: 'converge',
    way: 'minifleet',
    hosts: macs.addresses,
    desired: { agent, tart, kubeconfig: 'one' },
    speed: FLEET.speed,
  };
  const price = (what: string, other: Partial<HostJob> = {}): Promise<JobCost> => {
    progress(`${FLEET.hosts} hosts: ${what}`);
    return caller.ask('runJob', { ...job, ...other });
  };
  return {
    planOfNew: await price('plan of new hosts', { task: 'plan' }),
    fresh: await price('from new to converged'),
    noOp: await price('no-op converge'),
    plan: await price('plan', { task: 'plan' }),
    peakMemory: await caller.ask('peakMemory'),
    few: await measureBothModes(job, progress),
  };
}

/** Uses a new process, because the other one is warm. */
async function measureBothModes(job: HostJob, progress: Progress): Promise<BothModes<JobCost>> {
  const hosts = job.hosts.slice(0, FLEET.few);
  const caller = await startCaller();
  const price = async (way: TransportMode): Promise<JobCost> => {
    progress(`${FLEET.few} hosts: no-op converge, ${way}`);
    await caller.ask('runJob', { ...job, way, hosts: hosts.slice(0, 1) }); // warm-up
    return caller.ask('runJob', { ...job, way, hosts });
  };
  try {
    return {
      minifleet: await price('minifleet'),
      'one command a connection': await price('one command a connection'),
    };
  } finally {
    await caller.stop();
  }
}
