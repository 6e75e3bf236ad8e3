/**
 * Fakes of scheduler and agents for hundreds of runner Pods, without VMs. A Pod is bound at once, runs when its Secret is filled, runs one
 * job in no time and ends. A deleted Pod is gone at once.
 */
import { names } from '@minifleet/api';
import { systemClock, timestamp } from '@minifleet/clock';
import { clientIdIn } from '@minifleet/forges/testing/github';
import {
  type Client,
  createInformer,
  deleting,
  isNotFound,
  keyOf,
  objectPath,
  type Pod,
  pods,
  secrets,
  silentLog,
} from '@minifleet/kube';
import { CONFIGURATION_KEY } from '@minifleet/runners/testing/runner';
import { Secret } from '@minifleet/secret';
import type { Github } from '@minifleet/world';

export interface AgentsOptions {
  readonly client: Client;
  readonly github: Github;
  readonly namespace: string;
  /** Returns the Mac for the runners of a pool. */
  readonly macOf: (pool: string) => string;
  readonly onProblem: (text: string) => void;
}

type GithubSession = ReturnType<Github['connect']>;

/** Runs until the signal aborts. */
export async function runAgents(options: AgentsOptions, signal: AbortSignal): Promise<void> {
  const { client, github, namespace, macOf, onProblem } = options;
  const selection = { namespace, labelSelector: `${names.labels.runner}=true` };
  const common = { client, selection, clock: systemClock, log: silentLog };
  const ofPods = createInformer({ ...common, resource: pods });
  const ofSecrets = createInformer({ ...common, resource: secrets });
  const sessions = new Map<string, GithubSession>();
  const started = new Set<string>();

  /** Runs a step of a Pod once, however often the Pod is observed. */
  function once(step: string, act: () => Promise<void>): void {
    if (started.has(step)) return;
    started.add(step);
    act().catch((error: unknown) => {
      if (!signal.aborted && !isNotFound(error)) onProblem(`${step}: ${String(error)}`);
    });
  }

  const bind = (pod: Pod): Promise<unknown> =>
    client.send({
      method: 'POST',
      path: objectPath(pods, keyOf(pod), 'binding'),
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata.name },
        target: { kind: 'Node', name: macOf(pod.metadata.labels?.[names.labels.runnerPool] ?? '') },
      },
    });

  async function report(pod: Pod, phase: string, state: object): Promise<void> {
    const container = { name: 'runner', image: 'x', imageID: '', ready: phase === 'Running', restartCount: 0, state };
    const body = { status: { phase, containerStatuses: [container] } };
    await client.patch(pods, keyOf(pod), { type: 'merge', body }, { subresource: 'status' });
  }

  async function runPod(pod: Pod, configuration: string): Promise<void> {
    const startedAt = timestamp(systemClock.now());
    await report(pod, 'Running', { running: { startedAt } });
    const session = github.connect(clientIdIn(new Secret('a configuration', configuration)));
    sessions.set(pod.metadata.name, session);
    const job = await session.nextJob();
    if (!job) return;
    if (!session.beginJob()) throw new Error(`${job.name} was started before`);
    session.finishJob('success');
    const terminated = { exitCode: 0, reason: 'Completed', startedAt, finishedAt: timestamp(systemClock.now()) };
    await report(pod, 'Succeeded', { terminated });
  }

  function syncPod(pod: Pod): void {
    const { name } = pod.metadata;
    if (deleting(pod)) {
      once(`${name} goes`, () => client.delete(pods, keyOf(pod), { gracePeriodSeconds: 0 }));
    } else if (!pod.spec?.nodeName) {
      once(`${name} is bound`, async () => void (await bind(pod)));
    } else if (pod.status?.phase === 'Pending') {
      const filled = ofSecrets.cache.get(keyOf(pod))?.data?.[CONFIGURATION_KEY];
      if (filled) once(`${name} lives`, () => runPod(pod, Buffer.from(filled, 'base64').toString()));
    }
  }

  ofPods.subscribe(({ type, object }) => {
    if (type !== 'deleted') return syncPod(object);
    sessions.get(object.metadata.name)?.vanish();
    sessions.delete(object.metadata.name);
  });
  ofSecrets.subscribe(({ object }) => {
    const pod = ofPods.cache.get(keyOf(object));
    if (pod) syncPod(pod);
  });
  await Promise.all([ofPods.run(signal), ofSecrets.run(signal)]);
}
