import type { Progress } from '../../benchmark.ts';
import { median } from '../../report/percentile.ts';
import type { Job, Price, Task, Way, Wish } from '../caller/calls.ts';
import type { Caller } from '../caller/start-caller.ts';
import type { Address } from '../macs/calls.ts';
import type { Macs } from '../macs/start-macs.ts';
import { type Both, ONE_HOST, WAYS } from '../names.ts';

/** One host from new to converged and through its days; each the median of a few runs. */
export interface OneHost {
  readonly fresh: Price;
  readonly noOp: Price;
  readonly plan: Price;
  /** One small file: the credentials. */
  readonly config: Price;
  /** The agent's program: sent, restarted, and seen to keep running. */
  readonly agent: Price;
  readonly largeAgent: Price;
}

export async function measureOneHost(
  given: { readonly macs: Macs; readonly caller: Caller },
  progress: Progress,
): Promise<Both<OneHost>> {
  const runs: Record<Way, OneHost[]> = { minifleet: [], 'one command a connection': [] };
  for (const [index, address] of given.macs.addresses.entries()) {
    const way = WAYS[index % WAYS.length] as Way;
    progress(`one host: ${way}, run ${runs[way].length + 1}`);
    runs[way].push(await throughItsDays(given, address, way));
  }
  return {
    minifleet: middle(runs.minifleet),
    'one command a connection': middle(runs['one command a connection']),
  };
}

async function throughItsDays(
  { macs, caller }: { readonly macs: Macs; readonly caller: Caller },
  address: Address,
  way: Way,
): Promise<OneHost> {
  const { agent, nextAgent, largeAgent, tart } = macs.artifacts;
  const first: Wish = { agent, tart, kubeconfig: 'one' };
  const { speed } = ONE_HOST;
  const price = (wish: Wish, task: Task = 'converge') =>
    caller.ask('carryOut', { task, way, hosts: [address], wish, speed } satisfies Job);
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

const middle = (runs: readonly OneHost[]): OneHost => ({
  fresh: middlePrice(runs.map(({ fresh }) => fresh)),
  noOp: middlePrice(runs.map(({ noOp }) => noOp)),
  plan: middlePrice(runs.map(({ plan }) => plan)),
  config: middlePrice(runs.map(({ config }) => config)),
  agent: middlePrice(runs.map(({ agent }) => agent)),
  largeAgent: middlePrice(runs.map(({ largeAgent }) => largeAgent)),
});

function middlePrice(prices: readonly Price[]): Price {
  const of = (field: keyof Price): number => median(prices.map(price => price[field]));
  return {
    seconds: of('seconds'),
    waited: of('waited'),
    roundTrips: of('roundTrips'),
    connections: of('connections'),
    bytesSent: of('bytesSent'),
    changes: of('changes'),
  };
}
