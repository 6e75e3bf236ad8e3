import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { isConditionTrue, nodes } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import { namedHost } from '../cluster-api/host-ids.ts';
import { type MachineBench, machineBench } from './testing/machine-bench.ts';
import { createOlderMachine, olderProviderID, takeOverNode } from './testing/older-machine.ts';
import { endJobs } from './testing/start-controllers.ts';

const [first, second] = [memoryId(1), memoryId(2)];
const changes = (calls: MachineBench['vendor']['calls']) =>
  calls.filter(({ call }) => ['rename', 'reboot', 'reinstall'].includes(call)).map(({ call }) => call);

let bench: MachineBench;

/** A vendor whose servers the previous system named after their machines, and one free server. */
async function open(): Promise<void> {
  bench = await machineBench({
    servers: [{ name: 'a' }, { name: 'b' }, { name: 'tuist-pool-3' }],
    manualJobs: true,
  });
  await bench.cluster();
}

describe('a machine of the previous system', () => {
  afterEach(() => bench.stop());

  test('a Mac of the previous system serves its machine without a change at the vendor', async () => {
    await open();
    await createOlderMachine(bench, 'a', { server: first });
    const host = await bench.host(first);
    assert.deepEqual(
      [host?.spec.consumerRef?.name, host?.spec.originalName, host?.status?.state],
      ['a', undefined, 'Serving'],
    );
    assert.deepEqual(changes(bench.vendor.calls), []);
    const { spec, status } = await bench.get('a');
    assert.deepEqual([spec.claimRef?.name, spec.providerID], [first, olderProviderID(first)]);
    assert.deepEqual(
      status?.conditions?.filter(({ type }) => ['Bootstrapped', 'Provisioned'].includes(type)),
      [],
    );
    assert.equal((status as { serverID?: string }).serverID, first);
  });

  test('A18 the first rollout to a Mac of the previous system brings a bootstrap token and disturbs no VM', async () => {
    await open();
    await createOlderMachine(bench, 'a', { server: first });
    const [job, ...others] = bench.jobs.requests;
    assert.deepEqual([job?.kind, job?.allow, job?.reboot, job?.only], ['converge', 'new VMs', 'never', undefined]);
    assert.notEqual(job?.kubeconfig, undefined);
    assert.deepEqual(others, []);
    assert.deepEqual(bench.effects, [], 'the token is not withdrawn while the older agent runs');
    endJobs(bench.jobs);
    await bench.settle();
    await takeOverNode(bench, 'a');
    assert.deepEqual(bench.effects, ['withdraw token']);
    assert.ok(isConditionTrue(await bench.get('a'), 'Ready'));
    assert.equal(bench.jobs.requests.length, 1, 'the joined agent needs no credentials');
  });

  test('a new agent that has not joined five minutes after the rollout gets a token again', async () => {
    await open();
    await createOlderMachine(bench, 'a', { server: first });
    endJobs(bench.jobs);
    await bench.settle();
    await bench.advance(minutes(4));
    assert.equal(bench.jobs.requests.length, 1);
    await bench.advance(minutes(1));
    assert.deepEqual(bench.jobs.requests[1]?.only, ['agent-credentials', 'agent-job']);
  });

  test('the next Mac of a fleet of the previous system waits until the agent of the first has joined', async () => {
    await open();
    await createOlderMachine(bench, 'a', { server: first });
    await createOlderMachine(bench, 'b', { server: second });
    assert.deepEqual(
      bench.jobs.requests.map(({ host }) => host.metadata.name),
      [first],
    );
    endJobs(bench.jobs);
    await bench.settle();
    await bench.advance(minutes(1));
    assert.equal(bench.jobs.requests.length, 1, 'the Node of the first is Ready by its older agent');
    await takeOverNode(bench, 'a');
    await bench.advance(minutes(1));
    assert.deepEqual(
      bench.jobs.requests.map(({ host }) => host.metadata.name),
      [first, second],
    );
  });

  test('the Node of a Mac that is not claimed yet stays, even while it is not Ready', async () => {
    await open();
    await createOlderMachine(bench, 'a', { server: first });
    assert.equal((await bench.host(first))?.spec.consumerRef?.name, 'a');
    assert.ok(await bench.api.client.find(nodes, { name: 'a' }));
  });

  for (const [name, node] of [
    ['a Mac of the previous system whose Node has no providerID is not bootstrapped again', { providerID: null }],
    ['a Mac of the previous system whose Node was deleted by hand is not bootstrapped again', false],
  ] as const)
    test(name, async () => {
      await open();
      await createOlderMachine(bench, 'a', { server: first, node });
      assert.equal((await bench.host(first))?.status?.state, 'Serving');
      assert.deepEqual(
        bench.jobs.requests.map(({ allow, reboot }) => [allow, reboot]),
        [['new VMs', 'never']],
      );
    });

  test('a machine of the previous system that only its serverID ties to a host is taken over', async () => {
    await open();
    await createOlderMachine(bench, 'a', { server: first, spec: { providerID: undefined } });
    assert.equal((await bench.get('a')).spec.providerID, olderProviderID(first));
    assert.equal((await bench.host(first))?.status?.state, 'Serving');
  });

  test('a machine whose host was given up does not claim it again by a serverID that was not cleared in time', async () => {
    await open();
    await bench.machine('c');
    const machine = await bench.get('c');
    assert.equal((machine.status as { serverID?: string }).serverID, memoryId(3));
    // As a provider leaves it that is killed between its writes of spec and status.
    const { claimRef: _claim, providerID: _id, ...spec } = machine.spec;
    assert.equal(namedHost({ ...machine, spec }), undefined);
  });

  test('a host that the previous system had not bootstrapped yet is bootstrapped, under its name', async () => {
    await open();
    const conditions = [{ type: 'Bootstrapped', status: 'False', reason: 'BootstrapFailed', message: 'm' }].map(
      condition => ({ ...condition, lastTransitionTime: '2026-05-19T10:00:00Z' }),
    );
    await createOlderMachine(bench, 'a', {
      server: first,
      status: { phase: 'Bootstrapping', conditions },
      node: false,
    });
    assert.equal((await bench.host(first))?.status?.state, 'Bootstrapping');
    assert.deepEqual(changes(bench.vendor.calls), []);
  });

  test('I13 of two machines of the previous system on one host, the one whose name the server has gets it', async () => {
    await open();
    await createOlderMachine(bench, 'duplicate', { server: first, node: false });
    await createOlderMachine(bench, 'a', { server: first });
    assert.equal((await bench.host(first))?.spec.consumerRef?.name, 'a');
    await bench.delete('duplicate');
    await bench.advance(minutes(5));
    assert.equal(await bench.find('duplicate'), undefined);
    assert.deepEqual(changes(bench.vendor.calls), []);
    assert.equal((await bench.host(first))?.spec.consumerRef?.name, 'a');
  });
});
