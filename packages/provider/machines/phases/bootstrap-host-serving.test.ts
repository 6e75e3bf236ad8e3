import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { scalewayAppleSiliconMachine } from '@minifleet/api';
import { fullHost, fullSpec } from '@minifleet/host/testing/plan';
import { byHand } from '@minifleet/host/testing/proofs/converged-host';
import { artifactOf } from '@minifleet/host/testing/steps';
import { execute, m1, processesOf, tartArchive } from '@minifleet/world/mac';
import { type BootstrapBench, bootstrapBench } from '../../host-work/testing/bootstrap-bench.ts';
import {
  agentFleet,
  because,
  bootstrapped,
  nodeFleet,
  passed,
  statusOf,
  withAgent,
} from '../../host-work/testing/bootstrapped.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-bootstrap-host-'));
after(() => rmSync(directory, { recursive: true, force: true }));

describe('a host that serves', () => {
  test('I37 is not touched when its Node is gone', async () => {
    const bench = await withAgent('one');
    const asked = bench.made.transport.roundTrips;
    bench.node = undefined;
    assert.equal((await bench.pass()).reason, 'HostBootstrapped');
    assert.equal(bench.made.transport.roundTrips, asked);
  });

  test('a serving host is inspected periodically; drift is reported, and only the drifted steps are re-applied', async () => {
    const bench = await withAgent('one');
    await bench.join(1);
    await byHand(bench.made, 'pmset -a sleep 10');
    const drift = await bench.live(because('DriftFound'));
    assert.equal(drift.kind, 'noted');
    assert.match(drift.message ?? '', /never-sleep: .*sleeps after 10 min/);
    const end = await bench.live(passed);
    assert.equal(end.reason, 'HostBootstrapped');
    assert.deepEqual(
      bench.events.map(({ reason }) => reason),
      ['DriftFound', 'Repaired'],
    );
  });

  test('that an inspection cannot reach stays as it was and says so', async () => {
    const bench = await withAgent('one');
    await bench.join();
    bench.made.mac.shutDown();
    const end = await bench.live(because('HostUnreachable'));
    assert.equal(end.kind, 'noted');
    bench.made.mac.boot();
    await bench.live(passed);
  });

  test('is rolled under running VMs, which stay, and what would end them waits until they are gone', async () => {
    const made = fullHost(directory);
    const bench = await bootstrapped(await bootstrapBench(made, { fleet: nodeFleet }));
    await bench.join(1);
    const program = '/usr/local/lib/tart.app/Contents/MacOS/tart';
    const vm = processesOf(made.mac).start({ argv: [program, 'run', 'pod-1-0'], user: m1, session: 'launchd' });
    const tart = { version: '2.33.0', archive: artifactOf('tart.tar.gz', tartArchive('2.33.0')) };
    const agent = { ...fullSpec.fleet.agent, maxPods: 1 };
    bench.settings = { ...bench.settings, fleet: { ...nodeFleet, tart, agent } };
    const held = await bench.live(end => /^postponed/.test(end.message ?? ''));
    assert.deepEqual([held.kind, held.reason], ['passed', 'PlanOutdated']);
    assert.match(held.message ?? '', /tart \(Tart is 2\.32\.1, expected 2\.33\.0\)/);
    const { plan, steps } = await statusOf(bench);
    assert.notEqual(plan?.applied, plan?.desired);
    assert.equal(steps?.find(({ name }) => name === 'agent-job')?.state, 'Done');
    assert.equal(vm.exit, undefined);
    await bench.end('guest-1');
    processesOf(made.mac).signal(vm.pid, 'SIGKILL');
    const end = await bench.live(because('HostBootstrapped'));
    assert.equal(end.kind, 'passed');
    assert.equal((await execute(made.mac, '/usr/local/bin/tart --version', { user: m1 })).out, '2.33.0\n');
    assert.equal((await statusOf(bench)).plan?.applied, (await statusOf(bench)).plan?.desired);
  });

  test('that was moved here without its status and its Node is rolled, and no VM on it is ended', async () => {
    const made = fullHost(directory);
    const bench = await bootstrapped(await bootstrapBench(made, { fleet: nodeFleet }));
    const program = '/usr/local/lib/tart.app/Contents/MacOS/tart';
    const vm = processesOf(made.mac).start({ argv: [program, 'run', 'pod-1-0'], user: m1, session: 'launchd' });
    await loseStatus(bench);
    const tart = { version: '2.33.0', archive: artifactOf('tart.tar.gz', tartArchive('2.33.0')) };
    bench.settings = { ...bench.settings, fleet: { ...nodeFleet, tart } };
    const held = await bench.live(end => /active|postponed|Tart is/.test(end.message ?? ''));
    assert.equal(held.kind, 'passed');
    assert.equal(vm.exit, undefined);
    assert.equal((await execute(made.mac, '/usr/local/bin/tart --version', { user: m1 })).out, '2.32.1\n');
  });

  test('I32 a host whose new agent exits runs the old one, and the plan stays failed until the desired plan changes', async () => {
    const bench = await withAgent('one');
    await bench.join();
    bench.settings = { ...bench.settings, fleet: agentFleet('exits with 3') };
    const end = await bench.live(because('StepFailed'));
    assert.equal(end.kind, 'noted');
    assert.match(end.message ?? '', /rolled back to .*, which is running/);
    const { plan } = await statusOf(bench);
    assert.equal(plan?.failed, plan?.desired);
    bench.restart();
    for (let look = 0; look < 3; look++) assert.equal((await bench.pass()).reason, 'StepFailed');
    bench.settings = { ...bench.settings, fleet: agentFleet('two') };
    await bench.live(because('HostBootstrapped'));
    assert.equal((await statusOf(bench)).plan?.failed, undefined);
  });
});

/** As clusterctl moves a machine: another process finds spec and annotations, and nothing else. */
async function loseStatus(bench: BootstrapBench): Promise<void> {
  const { metadata, spec } = await bench.get();
  const { namespace = '', name, annotations = {} } = metadata;
  await bench.api.client.delete(scalewayAppleSiliconMachine.resource, { namespace, name });
  await bench.api.client.create(scalewayAppleSiliconMachine.resource, {
    metadata: { namespace, name, annotations },
    spec,
  });
  bench.restart();
}
