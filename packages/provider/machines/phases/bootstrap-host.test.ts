import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { PASSWORD, testHost } from '@minifleet/host/testing';
import { fullHost, fullSpec } from '@minifleet/host/testing/plan';
import { agentHost } from '@minifleet/host/testing/steps';
import { Secret } from '@minifleet/secret';
import { bootstrapBench } from '../../host-work/testing/bootstrap-bench.ts';
import {
  agentFleet,
  bootstrapped,
  nodeFleet,
  passed,
  statusOf,
  withAgent,
} from '../../host-work/testing/bootstrapped.ts';
import { fakeRunners } from '../testing/fake-parts.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-bootstrap-host-'));
after(() => rmSync(directory, { recursive: true, force: true }));

describe('a claimed host', () => {
  test('is bootstrapped outside the pass, tells where it is, and ends as a record of every step', async () => {
    const bench = await bootstrapBench(fullHost(directory), { fleet: nodeFleet });
    const kubeconfig = new Secret('kubeconfig', 'apiVersion: v1\nkind: Config\n');
    bench.found.join = { kubeconfig, expiresAt: 0 };
    const first = await bench.pass();
    assert.deepEqual([first.kind, first.reason], ['waiting', 'BootstrapRunning']);
    assert.ok((await statusOf(bench)).job?.id);
    const during = await bench.live(end => /^step agent-job/.test(end.message ?? ''));
    assert.equal(during.kind, 'waiting');
    const middle = await statusOf(bench);
    assert.equal(middle.currentStep, 'agent-job');
    assert.equal(middle.steps?.find(({ name }) => name === 'agent-job')?.state, 'Running');
    assert.equal(middle.steps?.find(({ name }) => name === 'sudo')?.state, 'Done');
    const end = await bench.live(passed);
    assert.equal(end.reason, 'HostBootstrapped');
    const { job, currentStep, steps, plan } = await statusOf(bench);
    assert.deepEqual([job, currentStep], [undefined, undefined]);
    assert.ok(steps?.length && steps.every(({ state, fingerprint }) => state === 'Done' && fingerprint));
    assert.equal(plan?.applied, plan?.desired);
    assert.ok(plan?.appliedTime);
    assert.deepEqual(bench.effects, ['pin', 'success']);
    assert.ok(!JSON.stringify(await bench.get()).includes(PASSWORD));
    assert.deepEqual(bench.made.journal.gaps, []);
  });

  test('that is as wanted costs no write and no request beside the one read', async () => {
    const bench = await withAgent('one');
    const { resourceVersion, requests } = bench.api;
    const before = requests.length;
    const end = await bench.pass();
    assert.equal(end.kind, 'passed');
    assert.ok((end.again ?? 0) > 0, 'it is looked at again');
    assert.equal(bench.api.resourceVersion, resourceVersion);
    assert.equal(bench.api.requests.length - before, 1);
  });

  test('keeps its plan when what it joined with is gone', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    bench.found.join = { kubeconfig: new Secret('kubeconfig', 'apiVersion: v1\n'), expiresAt: 0 };
    await bootstrapped(bench);
    delete bench.found.join;
    await bench.join();
    assert.equal((await bench.pass()).reason, 'HostBootstrapped');
    assert.equal((await statusOf(bench)).job, undefined);
  });

  test('tells its own addresses beside the vendor’s', async () => {
    const bench = await bootstrapped(await bootstrapBench(testHost({ address: '203.0.113.9' }), { fleet: {} }));
    assert.deepEqual((await statusOf(bench)).addresses, [{ type: 'InternalIP', address: '203.0.113.9' }]);
  });
});

describe('a builder', () => {
  const spec = { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'vm-image-builder' } };
  const registering = fullSpec.host.runnerToken;

  test('is given a token to register with, and none to be looked at', async () => {
    const asked: string[] = [];
    const runners = {
      ...fakeRunners([]),
      token: async (namespace: string) => {
        asked.push(namespace);
        return registering;
      },
    };
    const bench = await bootstrapBench(fullHost(directory), { fleet: fullSpec.fleet, spec, runners });
    await bootstrapped(bench);
    assert.deepEqual(asked, ['fleet']);
    assert.ok(!JSON.stringify([await bench.get(), bench.events]).includes(registering.reveal().toString()));
    await bench.made.clock.advance(minutes(12));
    await bench.live(passed);
    assert.deepEqual(asked, ['fleet']);
  });

  test('for which the provider has no material is refused in words', async () => {
    const bench = await bootstrapBench(fullHost(directory), { fleet: nodeFleet, spec });
    await assert.rejects(bench.pass(), { reason: 'BuilderMaterialMissing' });
  });
});
