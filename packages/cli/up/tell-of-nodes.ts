import type { Clock } from '@minifleet/clock';
import { type Client, createInformer, type Node, nodes, silentLog } from '@minifleet/kube';
import type { Output } from '../surroundings.ts';

export interface TellOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** What their times are counted from. */
  readonly since: number;
}

/** A line for each Mac the first time its Node is Ready. */
export async function tellOfNodes({ client, clock, output, signal, since }: TellOptions): Promise<void> {
  const told = new Set<string>();
  const informer = createInformer<Node>({ client, clock, log: silentLog, resource: nodes });
  informer.subscribe(({ type, object }) => {
    const { name } = object.metadata;
    if (type === 'deleted' || told.has(name) || !isReady(object)) return;
    told.add(name);
    output.write(`✓ ${name} (${((clock.now() - since) / 1_000).toFixed(1)} s after the start): a Node, Ready\n`);
  });
  await informer.run(signal);
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(condition => condition.type === 'Ready' && condition.status === 'True') ?? false;
