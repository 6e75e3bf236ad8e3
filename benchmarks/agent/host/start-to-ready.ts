import { systemClock } from '@minifleet/clock';
import { type Client, createInformer, type Node, nodes, silentLog } from '@minifleet/kube';
import type { AgentMac } from '../../../e2e/testing/agent-mac.ts';
import type { NodeBench } from '../../../e2e/testing/node-bench.ts';
import { sharedClock } from '../../child/shared-clock.ts';
import { findAgentPid, readProcessUsage } from './processes.ts';

export interface JoinFigures {
  readonly mac: AgentMac;
  /** Time from the start of the process to the existing Node, and to the Ready Node. */
  readonly registeredMs: number;
  readonly readyMs: number;
}

/** Measures how a new Mac joins with a token: keys, certificate, Node, probes, recovery, without previous state. */
export async function startToReady(bench: NodeBench, name: string): Promise<JoinFigures> {
  const observer = watchNode(bench.admin, name);
  const mac = await bench.join(name);
  await observer.ready;
  const { startedAt } = readProcessUsage(findAgentPid(mac));
  const { created, ready } = observer.moments;
  await observer.stop();
  return { mac, registeredMs: created - startedAt, readyMs: ready - startedAt };
}

function watchNode(client: Client, name: string) {
  const moments = { created: Number.NaN, ready: Number.NaN };
  const ready = Promise.withResolvers<void>();
  const stop = new AbortController();
  const informer = createInformer<Node>({ client, resource: nodes, clock: systemClock, log: silentLog });
  informer.subscribe(({ object }) => {
    if (object.metadata.name !== name) return;
    if (Number.isNaN(moments.created)) moments.created = sharedClock();
    const { conditions = [] } = object.status ?? {};
    if (!conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    if (Number.isNaN(moments.ready)) moments.ready = sharedClock();
    ready.resolve();
  });
  const running = informer.run(stop.signal);
  return {
    moments,
    ready: ready.promise,
    async stop() {
      stop.abort();
      await running;
    },
  };
}
