import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  connectClient,
  createMetrics,
  createRuntime,
  events,
  nodes,
  pods,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { PROVIDER } from '../program/access.ts';
import { applyAccess, tokenOf } from '../program/testing/apply-access.ts';
import { addStuckPodsController } from './stuck-pods-controller.ts';
import type { StuckReport } from './stuck-report.ts';

const ended = { phase: 'Succeeded', containerStatuses: [status({ terminated: { exitCode: 0 } })] };
const running = { phase: 'Running', containerStatuses: [status({ running: {} })] };

function status(state: object) {
  return { name: 'vm', image: 'macos', imageID: '', ready: false, restartCount: 0, state };
}

describe('Pods with the finalizer of the previous agent, on a real API server with config/rbac', () => {
  let cluster: LocalCluster;
  let admin: Client;
  let client: Client;
  let controllers: Promise<void>;
  const stop = new AbortController();
  const reports: StuckReport[] = [];

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    const sources = readKubeconfig(cluster.kubeconfigs.admin.path);
    admin = connectClient(sources, { clock: systemClock });
    await applyAccess(cluster, admin);
    const { server, authority } = sources;
    const token = { data: await tokenOf(admin, PROVIDER) };
    client = connectClient({ server, ...(authority && { authority }), token }, { clock: systemClock });
    const labels = { [names.labels.runtime]: names.labelValues.runtimeTart };
    await admin.create(nodes, { metadata: { name: 'mac-1', labels } });
    const runtime = createRuntime({
      ...{ name: 'test.dev/provider', identity: 'test', client, log: silentLog, metrics: createMetrics() },
      clock: systemClock,
    });
    addStuckPodsController(runtime, {
      clock: systemClock,
      stuckAfter: seconds(1),
      onReport: report => void reports.push(report),
    });
    controllers = runtime.run(stop.signal);
  });
  after(async () => {
    stop.abort();
    await controllers;
    await client.close();
    await admin.close();
    await cluster.stop();
  });

  async function deleted(name: string, reported: object): Promise<void> {
    const key = { namespace: 'default', name };
    const spec = { nodeName: 'mac-1', containers: [{ name: 'vm', image: 'macos' }] };
    await admin.create(pods, { metadata: { ...key, finalizers: [names.finalizers.vmCleanup] }, spec });
    await admin.patch(pods, key, { type: 'merge', body: { status: reported } }, { subresource: 'status' });
    await admin.delete(pods, key, { gracePeriodSeconds: 0 });
  }
  const find = (name: string) => admin.find(pods, { namespace: 'default', name });

  test('I10 Pods whose VM has ended are released, and a Pod whose VM may run is counted as stuck', async () => {
    for (let index = 0; index < 10; index++) await deleted(`done-${index}`, ended);
    await deleted('busy', running);
    for (let index = 0; index < 10; index++) await eventually(async () => !(await find(`done-${index}`)));
    // The Node has no agent that reports, so it is not Ready.
    await eventually(() => reports.at(-1)?.stuck.NodeNotReady === 1);
    assert.equal(reports.at(-1)?.released, 10);
    assert.ok(await find('busy'));
  });

  test('B2 a stuck Pod is released when the agent reports it finished, with both events', async () => {
    const conditions = [{ type: names.podConditions.finished, status: 'True' }];
    const key = { namespace: 'default', name: 'busy' };
    await admin.patch(pods, key, { type: 'merge', body: { status: { conditions } } }, { subresource: 'status' });
    await eventually(async () => !(await find('busy')));
    await eventually(async () => {
      const { items } = await admin.list(events, { namespace: 'default' });
      const reported = items.filter(({ regarding }) => regarding?.name === 'busy').map(({ reason }) => reason);
      return reported.includes('StuckTerminating') && reported.includes('VMCleanupReleased');
    });
  });
});
