/**
 * Fake node agents, hundreds in one process. Each joins with the token on its Mac, registers its Node, requests its serving
 * certificate, renews its lease and reports its status. It runs no guests.
 */
import { milliseconds, pause, systemClock, timestamp } from '@minifleet/clock';
import { type Client, connectClient, nodes, parseKubeconfig, silentLog } from '@minifleet/kube';
import {
  type CertificateTerms,
  clientTerms,
  clusterOf,
  type NodeCredential,
  newPrivateKey,
  requestCertificate,
  servingTerms,
} from '@minifleet/tart-kubelet/testing/identity';
import { createNodeLease, reportInterval } from '@minifleet/tart-kubelet/testing/node';
import { root } from '@minifleet/world/mac';
import type { JobProgram, JobStart } from '@minifleet/world/testing/mac';
import { registerNode } from '../../agent/fleet/node-object.ts';
import { FLEET } from '../names.ts';

const clock = systemClock;

/** `onProblem` receives the reason when an agent ends unexpectedly. */
export const createFakeAgent = (onProblem: (text: string) => void): JobProgram => ({
  async body(start, { signal }) {
    try {
      await runAgent(start, signal);
    } catch (error) {
      if (!signal.aborted) onProblem(`${flag(start, 'node-name')}: ${String(error)}`);
    }
    return 1;
  },
});

async function runAgent(start: JobStart, signal: AbortSignal): Promise<void> {
  const name = flag(start, 'node-name');
  const client = await join(start, name, signal);
  try {
    const { address } = start.mac.options;
    const node = { name, fleet: FLEET, providerID: flag(start, 'provider-id'), address };
    const { metadata } = await registerNode(client, node);
    const lease = createNodeLease({ client, clock, log: silentLog, nodeName: name, nodeUid: () => metadata.uid });
    const terms = servingTerms(name, [address]);
    const serving = terms && certificate(client, terms, signal);
    await Promise.all([lease.run(signal), serving, report(client, name, signal)]);
  } finally {
    await client.close();
  }
}

/** Connects with the token, requests a certificate, and connects with that. */
async function join(start: JobStart, name: string, signal: AbortSignal): Promise<Client> {
  const path = flag(start, 'kubeconfig');
  const sources = parseKubeconfig(start.mac.files.read(root, path).toString('utf8'), { path });
  const bootstrap = connectClient(sources, { clock });
  try {
    const own = await certificate(bootstrap, clientTerms(name), signal);
    const identity = { certificate: { data: own.certificate }, key: { data: own.key } };
    return connectClient({ ...clusterOf(sources), ...identity }, { clock });
  } finally {
    await bootstrap.close();
  }
}

const certificate = (client: Client, terms: CertificateTerms, signal: AbortSignal): Promise<NodeCredential> =>
  requestCertificate({
    client,
    clock,
    log: silentLog,
    terms,
    key: newPrivateKey(),
    signal,
    onWaiting: () => undefined,
  });

/** Reports at the interval of an agent with an unchanged Node, starting at a random time as in a long-running fleet. */
async function report(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const every = reportInterval(clock.random());
  await pause(clock, milliseconds(every * clock.random()), signal);
  while (!signal.aborted) {
    const conditions = [{ type: 'Ready', lastHeartbeatTime: timestamp(clock.now()) }];
    const body = { status: { conditions } };
    await client.patch(nodes, { name }, { type: 'strategic', body }, { subresource: 'status', signal });
    await pause(clock, every, signal);
  }
}

function flag({ argv }: JobStart, name: string): string {
  const start = `--${name}=`;
  const argument = argv.find(one => one.startsWith(start));
  if (argument === undefined) throw new Error(`the agent was started without --${name}`);
  return argument.slice(start.length);
}
