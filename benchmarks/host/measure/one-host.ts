import type { Progress } from '../../benchmark.ts';
import { median } from '../../report/percentile.ts';
import type { DesiredHost, HostJob, HostTask, JobCost, TransportMode } from '../caller/calls.ts';
import type { Caller } from '../caller/start-caller.ts';
import type { MacAddress } from '../macs/calls.ts';
import type { HostMacs } from '../macs/start-macs.ts';
import { type BothModes, MODES, ONE_HOST } from '../names.ts';

/** Costs of one host, from new to converged and for later changes; medians of some runs. */
export interface OneHostFigures {
  readonly fresh: JobCost;
  readonly noOp: JobCost;
  readonly plan: JobCost;
  /** Change of one small file, the credentials. */
  readonly config: JobCost;
  /** Change of the agent: sent, restarted, and checked for stability. */
  readonly agent: JobCost;
  readonly largeAgent: JobCost;
}

export async function measureOneHost(
  given: { readonly macs: HostMacs; readonly caller: Caller },
  progress: Progress,
): Promise<BothModes<OneHostFigures>> {
  const runs: Record<TransportMode, OneHostFigures[]> = { minifleet: [], 'one command a connection': [] };
  for (const [index, address] of given.macs.addresses.entries()) {
    const way = MODES[index % MODES.length] as TransportMode;
    progress(`one host: ${way}, run ${runs[way].length + 1}`);
    runs[way].push(await measureRun(given, address, way));
  }
  return {
    minifleet: medianFigures(runs.minifleet),
    'one command a connection': medianFigures(runs['one command a connection']),
  };
}

async function measureRun(
  { macs, caller }: { readonly macs: HostMacs; readonly caller: Caller },
  address: MacAddress,
  way: TransportMode,
): Promise<OneHostFigures> {
  const { agent, nextAgent, largeAgent, tart } = macs.artifacts;
  const first: DesiredHost = { agent, tart, kubeconfig: 'one' };
  const { speed } = ONE_HOST;
  const price = (desired: DesiredHost, task: HostTask = 'converge') =>
    caller.ask('runJob', { task, way, hosts: [address], desired, speed } satisfies HostJob);
  const fresh = await price(first);
  await price(first); // warm-up
  return {
    fresh,
    noOp: await price(first),
    plan: await price(first, 'plan'),
    config: await price({ ...first, kubeconfig: 'two' }),
    agent: await price({ ...first, kubeconfig: 'two', agent: nextAgent }),
    largeAgent: await price({ ...first, kubeconfig: 'two', agent: largeAgent }),
  };
}

const medianFigures = (runs: readonly OneHostFigures[]): OneHostFigures => ({
  fresh: medianCost(runs.map(({ fresh }) => fresh)),
  noOp: medianCost(runs.map(({ noOp }) => noOp)),
  plan: medianCost(runs.map(({ plan }) => plan)),
  config: medianCost(runs.map(({ config }) => config)),
  agent: medianCost(runs.map(({ agent }) => agent)),
  largeAgent: medianCost(runs.map(({ largeAgent }) => largeAgent)),
});

function medianCost(prices: readonly JobCost[]): JobCost {
  const of = (field: keyof JobCost): number => median(prices.map(price => price[field]));
  return {
    seconds: of('seconds'),
    waited: of('waited'),
    roundTrips: of('roundTrips'),
    connections: of('connections'),
    bytesSent: of('bytesSent'),
    changes: of('changes'),
  };
}
