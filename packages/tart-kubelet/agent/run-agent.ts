import { join } from 'node:path';
import { createRedactor } from '@minifleet/host';
import { errorFields } from '@minifleet/kube';
import { collectRegularly } from '../gc/collector.ts';
import type { MacNode } from '../node/create-node.ts';
import { openAgentLog } from '../observe/agent-log.ts';
import type { Pods } from '../pods/pods.ts';
import type { AgentContext, AgentSurroundings } from './agent-context.ts';
import type { Flags } from './flags.ts';
import { openHostParts } from './host-parts.ts';
import { joinCluster } from './join-cluster.ts';
import { openNodeParts } from './node-parts.ts';
import { serve } from './serve.ts';

/** The whole agent, until the signal aborts. Guests are left running: the next agent finds them again. */
export async function runAgent(flags: Flags, around: AgentSurroundings): Promise<void> {
  const { clock, environment, signal } = around;
  const log = openAgentLog({
    path: join(flags.logDirectory, 'tart-kubelet.log'),
    level: flags.logLevel,
    clock,
    node: flags.nodeName,
    redactor: createRedactor(),
  });
  log.info({ version: around.version, flags }, 'The agent starts');
  try {
    await work({ ...around, flags, log, logs: join(flags.logDirectory, 'pods'), tartHome: tartHomeOf(environment) });
  } catch (error) {
    if (!signal.aborted) log.error(errorFields(error), 'The agent ends');
    throw error;
  } finally {
    log.info({}, 'The agent has ended');
    log.close();
  }
}

const tartHomeOf = ({ TART_HOME, HOME }: AgentSurroundings['environment']): string =>
  TART_HOME ?? join(HOME ?? '/var/empty', '.tart');

/** The Mac first, then the cluster, then the Mac as its Node; from there on everything runs side by side. */
async function work(context: AgentContext): Promise<void> {
  const { clock, signal } = context;
  const late: { node?: MacNode; pods?: Pods } = {};
  const recovered = Promise.withResolvers<void>();
  const host = await openHostParts(context, () => {
    late.node?.refresh();
    recovered.resolve();
  });
  const cluster = await joinCluster(context, host, () => late.node);
  if (!cluster) return;
  const all = { ...context, ...host, ...cluster };
  const { node, pods, images, collector } = openNodeParts(all, late);
  const collect = async (): Promise<void> => {
    // Before, it would not know what is whose, and do nothing until its next turn.
    await recovered.promise;
    await collectRegularly({ clock, reclaim: reason => images.reclaim(reason), signal });
  };
  await Promise.all([
    cluster.following,
    node.run(signal),
    pods.run(signal),
    serve({ ...all, pods, node: () => node.current, disk: () => node.disk() }),
    collector ? collect() : undefined,
  ]);
  host.guests.close();
  await cluster.events.flush();
}
