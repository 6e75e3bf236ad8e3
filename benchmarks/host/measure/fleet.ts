import type { Progress } from '../../benchmark.ts';
import type { Job, Price, Way } from '../caller/calls.ts';
import { type Caller, startCaller } from '../caller/start-caller.ts';
import type { Macs } from '../macs/start-macs.ts';
import { type Both, FLEET } from '../names.ts';

export interface Fleet {
  readonly planOfNew: Price;
  readonly fresh: Price;
  readonly noOp: Price;
  readonly plan: Price;
  /** Of the process that did all of this, in bytes. */
  readonly peakMemory: number;
  /** No-op converges of a few hosts, both ways. */
  readonly few: Both<Price>;
}

/** All Macs at once, from new to converged and then with nothing to do. */
export async function measureFleet(
  { macs, caller }: { readonly macs: Macs; readonly caller: Caller },
  progress: Progress,
): Promise<Fleet> {
  const { agent, tart } = macs.artifacts;
  const job: Job = {
    task: 'converge',
    way: 'minifleet',
    hosts: macs.addresses,
    wish: { agent, tart, kubeconfig: 'one' },
    speed: FLEET.speed,
  };
  const price = (what: string, other: Partial<Job> = {}): Promise<Price> => {
    progress(`${FLEET.hosts} hosts: ${what}`);
    return caller.ask('carryOut', { ...job, ...other });
  };
  return {
    planOfNew: await price('plan of new ones', { task: 'plan' }),
    fresh: await price('from new to converged'),
    noOp: await price('no-op converge'),
    plan: await price('plan', { task: 'plan' }),
    peakMemory: await caller.ask('peakMemory'),
    few: await bothWays(job, progress),
  };
}

/** In a process of its own: the other one has done all this a few times and is warm. */
async function bothWays(job: Job, progress: Progress): Promise<Both<Price>> {
  const hosts = job.hosts.slice(0, FLEET.few);
  const caller = await startCaller();
  const price = async (way: Way): Promise<Price> => {
    progress(`${FLEET.few} hosts: no-op converge, ${way}`);
    await caller.ask('carryOut', { ...job, way, hosts: hosts.slice(0, 1) }); // warm-up
    return caller.ask('carryOut', { ...job, way, hosts });
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
