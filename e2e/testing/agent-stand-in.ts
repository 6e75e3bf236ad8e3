import { timestamp } from '@minifleet/clock';
import { hostsOf } from '@minifleet/forges/testing/github';
import { type Client, deleting, keyOf, objectPath, type Pod, pods, secrets } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { Github } from '@minifleet/world';

/** In the place of a scheduler and of a Mac's agent: runners run nowhere, and are online in the forge all the same. */
export interface AgentStandIn {
  /** One look at every Pod, and what there is to do about it. */
  look(): Promise<void>;
  /** Lets a runner take a job. */
  beginJob(runner: string): Promise<void>;
  /** Lets it finish the job, and end with it. */
  endJob(runner: string): Promise<void>;
  /** Every configuration that a runner was started with. */
  readonly configurations: readonly string[];
}

export interface AgentOptions {
  readonly admin: Client;
  readonly github: Github;
  readonly namespace: string;
  readonly node: string;
  readonly now: () => number;
}

export function standInAgent({ admin, github, namespace, node, now }: AgentOptions): AgentStandIn {
  const runners = hostsOf(github);
  const configurations: string[] = [];

  const report = (pod: Pod, phase: string, state: object): Promise<Pod> => {
    const container = { name: 'runner', image: 'x', imageID: '', ready: phase === 'Running', restartCount: 0, state };
    const body = { status: { phase, startTime: timestamp(now()), containerStatuses: [container] } };
    return admin.patch(pods, keyOf(pod), { type: 'merge', body }, { subresource: 'status' });
  };

  const bind = (pod: Pod): Promise<unknown> =>
    admin.send({
      method: 'POST',
      path: objectPath(pods, keyOf(pod), 'binding'),
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata.name },
        target: { kind: 'Node', name: node },
      },
    });

  /** As an agent does: not before everything that the volume asks for is there. */
  async function start(pod: Pod): Promise<void> {
    const encoded = (await admin.find(secrets, keyOf(pod)))?.data?.['jitconfig'];
    if (encoded === undefined) return;
    const configuration = Buffer.from(encoded, 'base64').toString('utf8');
    configurations.push(configuration);
    await report(pod, 'Running', { running: { startedAt: timestamp(now()) } });
    runners.start(new Secret('configuration', configuration));
  }

  async function actOn(pod: Pod): Promise<void> {
    if (deleting(pod)) await admin.delete(pods, keyOf(pod), { gracePeriodSeconds: 0 });
    else if (!pod.spec?.nodeName) await bind(pod);
    else if (pod.status?.phase === 'Pending') await start(pod);
  }

  return {
    configurations,
    async look() {
      const { items } = await admin.list(pods, { namespace });
      for (const pod of items) await actOn(pod);
    },
    beginJob: async runner => runners.takeJob(runner),
    async endJob(runner) {
      runners.finishJob(runner);
      const pod = await admin.get(pods, { namespace, name: runner });
      const at = timestamp(now());
      await report(pod, 'Succeeded', { terminated: { exitCode: 0, startedAt: at, finishedAt: at } });
    },
  };
}
