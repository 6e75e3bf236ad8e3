import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  connectClient,
  createEventRecorder,
  createMetrics,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import type { ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
import { machines } from '../cluster/resources.ts';
import { commandLine } from '../testing/command-line.ts';
import { installCrds } from '../testing/install-crds.ts';

describe('minifleet watch against a real API server', () => {
  let cluster: LocalCluster;
  let client: Client;
  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    await installCrds({ client, clock: systemClock, signal: new AbortController().signal });
  });
  after(async () => {
    await client?.close();
    await cluster?.stop();
  });

  const key = { namespace: 'default', name: 'runners-a' };
  const setStatus = (status: 'True' | 'False', reason: string, message: string): Promise<unknown> => {
    const lastTransitionTime = new Date(systemClock.now()).toISOString();
    const condition = { lastTransitionTime, status, reason, message };
    const conditions = ['Ready', 'HostBootstrapped'].map(type => ({ type, ...condition }));
    const body = { status: { initialization: { provisioned: true }, conditions } };
    return client.patch(machines, key, { type: 'merge', body }, { subresource: 'status' });
  };

  test('watch prints events and conditions, also after a restart of the API server', async () => {
    const machine = await client.create(machines, { metadata: key, spec: {} as ScalewayAppleSiliconMachine['spec'] });
    await setStatus('True', 'Ready', '');
    const stop = new AbortController();
    let text = '';
    const sees = (words: string) =>
      eventually(() => text.includes(words), { deadline: seconds(180), what: `“${words}” in ${text}` });
    const running = commandLine({
      ...{ clock: systemClock, environment: { KUBECONFIG: cluster.kubeconfigs.admin.path }, signal: stop.signal },
      output: { write: more => (text += more) },
    })('watch');
    await sees('1 host: 1 healthy');
    const known = { controller: 'minifleet.dev/break', instance: 'test', metrics: createMetrics(), log: silentLog };
    const recorder = createEventRecorder({ client, clock: systemClock, ...known });
    recorder.record({
      regarding: machine,
      type: 'Warning',
      reason: 'Broken',
      action: 'Break',
      note: 'I19 overwritten',
    });
    await recorder.flush();
    await sees('runners-a   ! fault injected: I19 overwritten');
    await setStatus('False', 'StepWaiting', 'step agent-job: killed');
    await sees('runners-a   ✗ StepWaiting: step agent-job: killed');
    await cluster.component('kube-apiserver').restart();
    await sees('! connection to the API server lost');
    await eventually(() => setStatus('True', 'Ready', ''), { deadline: seconds(180) });
    await sees('runners-a   ✓ recovered after');
    await sees('✓ reconnected to the API server');
    stop.abort();
    const { code, errors } = await running;
    // Cluster API is not installed there, so its objects are omitted without a warning.
    assert.deepEqual([code, errors, text.match(/connection to the API server lost/g)?.length], [130, '', 1]);
  });
});
