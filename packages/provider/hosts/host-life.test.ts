import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { macHost, scalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { HOST_KEY_REFUSED, HOST_UNREACHABLE } from '@minifleet/host';
import { findCondition, nodes } from '@minifleet/kube';
import { memoryId, type VendorCall } from '@minifleet/vendors/testing';
import type { HostJobState } from './jobs/host-job.ts';
import { converged } from './testing/fake-jobs.ts';
import { type HostBench, hostBench } from './testing/host-bench.ts';

const POOL = 'tuist-pool-';
const opened: HostBench[] = [];
after(() => Promise.all(opened.map(bench => bench.stop())));

async function open(...namesAtVendor: readonly string[]): Promise<HostBench> {
  const bench = await hostBench({ servers: namesAtVendor.map(name => ({ name })) });
  opened.push(bench);
  return bench;
}
const stateOf = async (bench: HostBench, number = 1) => (await bench.host(memoryId(number))).status?.state;

const readyMessage = async (bench: HostBench) => findCondition(await bench.host(memoryId(1)), 'Ready')?.message;

/** A bench whose only host serves the machine `a`. Its vendor finishes a reinstallation at the calls for which `finishes` is true. */
async function serving(finishes: (call: VendorCall) => boolean = () => false): Promise<HostBench> {
  const bench = await hostBench({
    servers: [{ name: `${POOL}1` }],
    onCall: call => void (finishes(call) && bench.vendor.finish(memoryId(1))),
  });
  opened.push(bench);
  await bench.claim(await bench.machine('a'), memoryId(1));
  bench.jobs.end(memoryId(1), converged());
  await bench.settle();
  await bench.node('a', `scw-applesilicon://fr-par-1/${memoryId(1)}`);
  return bench;
}

test('every server of a pool becomes an Available MacHost, and other servers do not', async () => {
  const bench = await open(`${POOL}1`, `${POOL}2`, 'desk');
  assert.deepEqual(await bench.states(), [`Available ${POOL}1`, `Available ${POOL}2`]);
  assert.equal(findCondition(await bench.host(memoryId(1)), 'Ready')?.reason, 'Available');
});

test('a claimed host gets the name of its machine, is bootstrapped, and serves', async () => {
  const bench = await open(`${POOL}1`);
  await bench.claim(await bench.machine('a'), memoryId(1));
  assert.equal(bench.vendor.find('a').id, memoryId(1));
  assert.equal(await stateOf(bench), 'Bootstrapping');
  assert.deepEqual(
    bench.jobs.requests.map(({ kind }) => kind),
    ['converge'],
  );
  bench.jobs.end(memoryId(1), converged());
  await bench.settle();
  assert.equal(await stateOf(bench), 'Serving');
  const { status } = await bench.host(memoryId(1));
  assert.equal(status?.plan?.applied, status?.plan?.desired);
  assert.equal(status?.job, undefined);
});

test('a host behind a tunnel is configured through it, and has the address of the vendor', async () => {
  const tunnel = { address: '127.0.0.1', port: 2222 };
  const bench = await hostBench({ servers: [{ name: `${POOL}1` }] }, { sshAddress: () => tunnel });
  opened.push(bench);
  await bench.claim(await bench.machine('a'), memoryId(1));
  assert.deepEqual(bench.jobs.requests.at(-1)?.address, tunnel);
  const { address } = bench.vendor.find('a');
  assert.deepEqual((await bench.host(memoryId(1))).status?.addresses, [{ type: 'ExternalIP', address }]);
});

test('a released host is reinstalled, renamed into its pool, loses its Node, and is Available again', async () => {
  const bench = await serving();
  await bench.patch(memoryId(1), { release: 'Return' });
  assert.ok(bench.vendor.calls.some(({ call }) => call === 'reinstall'));
  bench.vendor.finish(memoryId(1));
  await bench.discover();
  const host = await bench.host(memoryId(1));
  assert.equal(host.spec.consumerRef, undefined);
  assert.equal(host.status?.state, 'Available');
  assert.equal(host.status?.plan, undefined);
  assert.equal(bench.vendor.find(`${POOL}1`).id, memoryId(1));
  assert.deepEqual(
    (await bench.api.client.list({ group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' })).items,
    [],
  );
});

test('a returned host is Busy until the vendor has reinstalled it, although the last list is from before its claim', async () => {
  const bench = await serving();
  await bench.patch(memoryId(1), { release: 'Return' });
  const { status } = await bench.host(memoryId(1));
  assert.deepEqual([status?.state, status?.vendorName, status?.vendorState], ['Available', `${POOL}1`, 'Busy']);
});

test('a returned host can be claimed a minute after the vendor has reinstalled it, also after a quiet time', async () => {
  const bench = await serving();
  for (let minute = 0; minute < 15; minute++) await bench.clock.advance(minutes(1));
  await bench.patch(memoryId(1), { release: 'Return' });
  bench.vendor.finish(memoryId(1));
  await bench.clock.advance(minutes(1));
  await bench.settle();
  assert.equal((await bench.host(memoryId(1))).status?.vendorState, 'Ready');
});

test('no credentials are read from the vendor while it reinstalls a host, because it returns the old password', async () => {
  const bench = await serving();
  await bench.patch(memoryId(1), { release: 'Return' });
  await bench.claim(await bench.machine('b'), memoryId(1));
  assert.equal(await stateOf(bench), 'Claimed');
  assert.match((await readyMessage(bench)) ?? '', /^Claimed: the vendor reports the server as reinstalling/);
  assert.equal(findCondition(await bench.host(memoryId(1)), 'CredentialsReady'), undefined);
  bench.vendor.finish(memoryId(1));
  await bench.discover();
  assert.equal(await stateOf(bench), 'Bootstrapping');
});

test('a serving host whose Node is silent gets a bootstrap token over SSH, and no VM is disturbed', async () => {
  const bench = await serving();
  const known = bench.jobs.requests.length;
  await bench.node('a', `scw-applesilicon://fr-par-1/${memoryId(1)}`, 'Unknown');
  await bench.clock.advance(minutes(4));
  await bench.settle();
  assert.equal(bench.jobs.requests.length, known, 'the Mac may only restart');
  await bench.clock.advance(minutes(1));
  await bench.settle();
  const [job] = bench.jobs.requests.slice(known);
  assert.deepEqual([job?.kind, job?.only], ['converge', ['agent-credentials', 'agent-job']]);
  assert.notEqual(job?.kubeconfig, undefined);
  assert.equal(job?.reboot, 'never');
});

test('a serving host whose Node stays silent gets credentials every five minutes, and none once the Node reports', async () => {
  const bench = await serving();
  const providerID = `scw-applesilicon://fr-par-1/${memoryId(1)}`;
  const rejoins = () => bench.jobs.requests.filter(({ only }) => only?.includes('agent-credentials')).length;
  await bench.node('a', providerID, 'Unknown');
  for (let minute = 0; minute < 26; minute++) {
    await bench.clock.advance(minutes(1));
    await bench.settle();
    if (bench.jobs.running > 0) bench.jobs.end(memoryId(1), converged());
  }
  const count = rejoins();
  assert.ok(count >= 4 && count <= 5, `${count} jobs`);
  await bench.node('a', providerID, 'True');
  await bench.clock.advance(minutes(15));
  await bench.settle();
  assert.equal(rejoins(), count);
});

test('a host that is installed again before its hold has ended is not reinstalled a second time', async () => {
  // The vendor is done with the reinstallation when the provider renames the server.
  const bench = await serving(call => call.call === 'rename' && call.name === `${POOL}1`);
  await bench.patch(memoryId(1), { release: 'Return' });
  assert.equal(bench.vendor.calls.filter(({ call }) => call === 'reinstall').length, 1);
  assert.equal(await stateOf(bench), 'Available');
});

test('a server that the vendor no longer lists is a Missing host, and Available when it is listed again', async () => {
  const bench = await open(`${POOL}1`);
  bench.vendor.remove(memoryId(1));
  await bench.discover();
  assert.equal(await stateOf(bench), 'Missing');
});

const failedJob = (reason: 'unreachable' | 'key'): HostJobState => ({
  kind: 'failed',
  error: reason === 'key' ? HOST_KEY_REFUSED({ address: 'a' }) : HOST_UNREACHABLE({ address: 'a', why: 'timeout' }),
  // A host shows its key before it rejects that of the client.
  hostKey: reason === 'key' ? `SHA256:${'a'.repeat(43)}` : undefined,
});

/** Lets the next jobs fail, each when it is due. */
async function failJobs(
  bench: HostBench,
  count: number,
  state: HostJobState = failedJob('unreachable'),
): Promise<void> {
  for (let failure = 0; failure < count; failure++) {
    for (let minute = 0; minute < 30 && bench.jobs.running === 0; minute++) {
      await bench.clock.advance(minutes(1));
      await bench.settle();
    }
    bench.jobs.end(memoryId(1), state);
    await bench.settle();
  }
}

test('a host that is released while it is Missing loses its Node and its machine', async () => {
  const bench = await serving();
  bench.vendor.remove(memoryId(1));
  await bench.clock.advance(minutes(5));
  await bench.settle();
  assert.equal(await stateOf(bench), 'Missing');
  await bench.patch(memoryId(1), { release: 'Return' });
  const { spec, status } = await bench.host(memoryId(1));
  assert.equal(spec.consumerRef, undefined);
  assert.equal(status?.lastRelease?.reason, 'Vanished');
  assert.equal(await bench.api.client.find(nodes, { name: 'a' }), undefined);
});

test('a host that fails three times is restarted once through the vendor', async () => {
  const bench = await open(`${POOL}1`);
  await bench.claim(await bench.machine('a'), memoryId(1));
  await failJobs(bench, 3);
  assert.deepEqual(bench.vendor.calls.filter(({ call }) => call === 'reboot').length, 1);
  bench.vendor.finish(memoryId(1));
  await bench.discover();
  await failJobs(bench, 2);
  assert.deepEqual(bench.vendor.calls.filter(({ call }) => call === 'reboot').length, 1);
});

test('a host that rejects the fleet key is reinstalled once', async () => {
  const bench = await open(`${POOL}1`);
  await bench.claim(await bench.machine('a'), memoryId(1));
  await failJobs(bench, 1, failedJob('key'));
  assert.deepEqual(bench.vendor.calls.filter(({ call }) => call === 'reinstall').length, 1);
  assert.equal((await bench.host(memoryId(1))).spec.consumerRef?.name, 'a');
});

test('a host that fails eight times is returned in quarantine, and Available when the quarantine is over', async () => {
  const bench = await open(`${POOL}1`);
  await bench.claim(await bench.machine('a'), memoryId(1));
  await failJobs(bench, 3);
  bench.vendor.finish(memoryId(1));
  await bench.discover();
  await failJobs(bench, 5);
  bench.vendor.finish(memoryId(1));
  await bench.discover();
  const host = await bench.host(memoryId(1));
  assert.equal(host.spec.consumerRef, undefined);
  assert.equal(host.status?.state, 'Quarantined');
  assert.deepEqual(host.status?.quarantine?.reasons, ['HostUnreachable']);
  await bench.clock.advance(minutes(61));
  await bench.settle();
  assert.equal(await stateOf(bench), 'Available');
});

test('a serving host that is unreachable is never restarted or given up', async () => {
  const bench = await serving();
  await bench.clock.advance(minutes(12));
  await bench.settle();
  await failJobs(bench, 10);
  assert.equal(await stateOf(bench), 'Serving');
  assert.equal(bench.vendor.calls.filter(({ call }) => call === 'reboot' || call === 'reinstall').length, 0);
});

test('a host that another cluster renamed since the last list is left to it', async () => {
  const bench = await open(`${POOL}1`);
  const machine = await bench.machine('a');
  await bench.vendor.rename({ zone: 'fr-par-1', id: memoryId(1) }, 'runners-of-another-cluster');
  await bench.claim(machine, memoryId(1));
  const host = await bench.host(memoryId(1));
  assert.equal(host.spec.consumerRef, undefined);
  assert.equal(bench.vendor.find('runners-of-another-cluster').id, memoryId(1));
  assert.equal(bench.jobs.requests.length, 0);
});

test('a machine that crashed between two claims keeps the host that it names, and the other is released', async () => {
  const bench = await open(`${POOL}1`, `${POOL}2`);
  const machine = await bench.machine('a');
  await bench.claim(machine, memoryId(1));
  const second = await bench.host(memoryId(2));
  const { consumerRef, clusterID, desired } = (await bench.host(memoryId(1))).spec;
  await bench.patch(memoryId(2), { consumerRef, clusterID, desired, claimEpoch: second.spec.claimEpoch + 1 });
  assert.equal((await bench.host(memoryId(2))).spec.consumerRef, undefined);
  assert.equal((await bench.host(memoryId(1))).spec.consumerRef?.name, 'a');
});

test('a paused host ends its job, keeps its status in an annotation, and continues from it in another cluster', async () => {
  const bench = await serving();
  const at = { namespace: 'fleet', name: 'a' };
  const paused = (value: string | null) =>
    bench.api.client.patch(scalewayAppleSiliconMachine.resource, at, {
      type: 'merge',
      body: { metadata: { annotations: { 'cluster.x-k8s.io/paused': value } } },
    });
  await paused('');
  await bench.settle();
  const before = await bench.host(memoryId(1));
  assert.match(before.metadata.annotations?.['minifleet.dev/host-status'] ?? '', /"state":"Serving"/);
  // As clusterctl restores it: without a status.
  await bench.api.client.update(macHost.resource, { ...before, status: {} }, { subresource: 'status' });
  await paused(null);
  await bench.settle();
  const after = await bench.host(memoryId(1));
  assert.equal(after.status?.state, 'Serving');
  assert.equal(after.status?.servedSince, before.status?.servedSince);
  assert.equal(after.metadata.annotations?.['minifleet.dev/host-status'], undefined);
});
