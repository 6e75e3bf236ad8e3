import { join } from 'node:path';
import { errorFields } from '@minifleet/kube';
import { createRedactor } from '@minifleet/secret';
import { collectRegularly } from '../gc/collector.ts';
import type { MacNode } from '../node/create-node.ts';
import { openAgentLog } from '../observe/agent-log.ts';
import type { Pods } from '../pods/pods.ts';
import type { AgentContext, AgentProgram } from './agent-context.ts';
import { openAgentNode } from './agent-node.ts';
import type { AgentFlags } from './flags.ts';
import { openHostDeps } from './host-deps.ts';
import { joinCluster } from './join-cluster.ts';
import { serve } from './serve.ts';

/** Secrets that the log redactor remembers: those of the last twenty Pods or so. Their encodings take less than 1 MB. */
const REMEMBERED_SECRETS = 64;

/** Runs the agent until the signal aborts. Guests continue to run, and the next agent finds them. */
export async function runAgent(flags: AgentFlags, program: AgentProgram): Promise<void> {
  const { clock, environment, signal, version } = program;
  const redactor = createRedactor([], { keep: REMEMBERED_SECRETS });
  const agentLog = openAgentLog({
    path: join(flags.logDirectory, 'tart-kubelet.log'),
    level: flags.logLevel,
    clock,
    node: flags.nodeName,
    redactor,
  });
  const { log } = agentLog;
  log.info({ version, flags }, 'Agent started');
  try {
    await work({
      ...program,
      flags,
      log,
      lostLogLines: () => agentLog.lost,
      redactor,
      logs: join(flags.logDirectory, 'pods'),
      tartHome: tartHomeOf(environment),
    });
  } catch (error) {
    if (!signal.aborted) log.error(errorFields(error), 'Agent failed');
    throw error;
  } finally {
    log.info({}, 'Agent stopped');
    agentLog.close();
  }
}

const tartHomeOf = ({ TART_HOME, HOME }: AgentProgram['environment']): string =>
  TART_HOME ?? join(HOME ?? '/var/empty', '.tart');

/** Opens the Mac, then joins the cluster, then registers the Node. From there on all parts run concurrently. */
async function work(context: AgentContext): Promise<void> {
  const { clock, signal } = context;
  const late: { node?: MacNode; pods?: Pods } = {};
  const recovered = Promise.withResolvers<void>();
  const host = await openHostDeps(context, () => {
    late.node?.refresh();
    recovered.resolve();
  });
  const cluster = await joinCluster(context, host, () => late.node);
  if (!cluster) return;
  const all = { ...context, ...host, ...cluster };
  const { node, pods, images, collector } = openAgentNode(all, late);
  const collect = async (): Promise<void> => {
    // Earlier, the collector would not know which VMs belong to which guests, and would do nothing until its next run.
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
