import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { describeCauses } from '@minifleet/host';
import { nodes } from '@minifleet/kube';
import { macHosts, machines } from '../cluster/resources.ts';
import type { CliContext } from '../context.ts';
import { terminalScreen } from '../terminal/testing/terminal-screen.ts';
import { hostId } from '../testing/fleet-cluster.ts';
import {
  bootstrapped,
  drifted,
  ready,
  served,
  type WatchedFleetFixture,
  watchedFleet,
} from './testing/watched-fleet.ts';

let cluster: WatchedFleetFixture;
beforeEach(async () => {
  cluster = await watchedFleet();
});

describe('minifleet watch', () => {
  test('I19 watch prints the injected fault, the missing Node, the drift and the recovery', async () => {
    const watch = cluster.watching();
    await watch.sees('2 hosts: 2 healthy\n');
    await cluster.broken();
    await watch.sees('fault injected');
    await cluster.clock.advance(seconds(6));
    await cluster.nodeReady('Unknown', 'Kubelet stopped posting node status.');
    await watch.sees('Node NotReady');
    await cluster.clock.advance(seconds(12));
    await cluster.status('mac-2', served, [ready, drifted]);
    await watch.sees('DriftFound');
    await cluster.event(
      'Warning',
      'DriftFound',
      'agent-binary: another file than was sent, of 1 bytes, which the kernel kills for its signature',
    );
    await cluster.clock.advance(seconds(10));
    const lastTransitionTime = new Date(cluster.clock.now()).toISOString();
    const steps = [{ name: 'agent-binary', state: 'Done', lastTransitionTime } as const];
    await cluster.hostStatus(hostId(2), { state: 'Serving', steps });
    await cluster.status('mac-2', served, [ready, bootstrapped]);
    await cluster.nodeReady('True', 'kubelet is posting ready status');
    await watch.sees('recovered');
    assert.equal((await watch.stop()).code, 130);
    assert.deepEqual(watch.lines(), [
      '= 2 hosts: 2 healthy',
      'mac-2   ! fault injected: I19 the agent’s binary was overwritten in place',
      'mac-2   ✗ Node NotReady: Kubelet stopped posting node status.',
      `mac-2   ✗ DriftFound: ${drifted.message}`,
      'mac-2   ✓ recovered after 22s (repaired: agent-binary)',
    ]);
    assert.equal(cluster.clock.pending, 0);
  });

  test('watch prints a drift of thirteen steps with one cause as one line that names the cause once', async () => {
    const cause = 'cannot inspect: sudo asks for a password';
    const steps = Array.from({ length: 13 }, (_, index) => ({ step: `step-${index + 1}`, message: cause }));
    const watch = cluster.watching();
    await watch.sees('2 hosts: 2 healthy\n');
    const message = describeCauses(steps);
    await cluster.status('mac-2', served, [ready, { ...drifted, message }]);
    await cluster.event('Warning', 'DriftFound', `drifted steps: ${steps.map(({ step }) => step).join(', ')}`);
    await watch.sees(/DriftFound.*\n/);
    await watch.stop();
    assert.deepEqual(watch.lines(), ['= 2 hosts: 2 healthy', `mac-2   ✗ DriftFound: ${message}`]);
    assert.equal(watch.text().split(cause).length - 1, 1);
  });

  test('watch starts with a summary and existing problems, without old events', async () => {
    await cluster.event('Warning', 'DriftFound', 'drifted steps: sudo');
    await cluster.status('mac-1', served, [ready, drifted]);
    await cluster.clock.advance(minutes(12));
    const watch = cluster.watching();
    await watch.sees(/DriftFound.*\n/);
    await watch.stop();
    assert.deepEqual(watch.lines(), [
      '= 2 hosts: 1 healthy, 1 unhealthy (mac-1, 12m)',
      `mac-1   ✗ for 12m: DriftFound: ${drifted.message}`,
    ]);
  });

  test('watch prints a recently injected fault with its own time', async () => {
    const at = cluster.clock.now();
    await cluster.broken();
    await cluster.clock.advance(seconds(30));
    const watch = cluster.watching(['-o', 'json']);
    await watch.sees('fault injected');
    await watch.stop();
    const lines = watch.lines().map(line => JSON.parse(line) as { time: string; type: string });
    assert.deepEqual(
      lines.map(({ type, time }) => [type, Date.parse(time) - at]),
      [
        ['summary', 30_000],
        ['fault', 0],
      ],
    );
  });

  test('watch prints an event only if no condition with the same message follows', async () => {
    const watch = cluster.watching();
    await watch.sees('2 healthy');
    await cluster.event('Warning', 'StepWaiting', 'tart: no such file');
    await cluster.event('Warning', 'NameTaken', 'another server has the name');
    await cluster.status('mac-2', served, [
      ready,
      { ...drifted, reason: 'StepWaiting', message: 'step tart: no such file' },
    ]);
    await watch.sees('✗ StepWaiting');
    await eventually(() => cluster.clock.nextTimer());
    await cluster.clock.advance(seconds(2));
    await watch.sees('NameTaken');
    await watch.stop();
    assert.deepEqual(watch.lines().slice(1), [
      'mac-2   ✗ StepWaiting: step tart: no such file',
      'mac-2   ! NameTaken: another server has the name',
    ]);
  });

  test('I37 watch prints a deleted Node at once and its recovery', async () => {
    const watch = cluster.watching(['mac-2']);
    await watch.sees('1 healthy');
    const node = await cluster.client.get(nodes, { name: 'node-2' });
    await cluster.client.delete(nodes, { name: 'node-2' });
    await watch.sees('✗ Node deleted: no Node has the providerID of this host');
    await cluster.clock.advance(seconds(3));
    await cluster.client.create(nodes, { metadata: { name: 'node-2' }, ...(node.spec ? { spec: node.spec } : {}) });
    await watch.sees('✓ recovered after 3s');
    await watch.stop();
  });

  test('watch prints the start and the deletion of a host by phase', async () => {
    const watch = cluster.watching();
    await watch.sees('2 healthy');
    await cluster.machine('mac-3');
    await watch.sees('mac-3   + added');
    await cluster.status('mac-3', {}, [{ ...drifted, reason: 'BootstrapRunning', message: 'step sudo: running' }]);
    await watch.sees('· step sudo: running');
    await cluster.clock.advance(seconds(41));
    await cluster.status('mac-3', served, [ready]);
    await watch.sees('mac-3   ✓ Ready after 41s');
    const body = { metadata: { finalizers: null } };
    await cluster.client.patch(machines, { namespace: 'fleet', name: 'mac-3' }, { type: 'merge', body });
    await cluster.client.delete(machines, { namespace: 'fleet', name: 'mac-3' });
    await watch.sees('mac-3   - deleted');
    await watch.stop();
  });

  test('watch prints each change of the state of a MacHost as a sentence', async () => {
    const { client, host, hostStatus, machine } = cluster;
    const patch = (spec: object) => client.patch(macHosts, { name: 'mini-01' }, { type: 'merge', body: { spec } });
    const watch = cluster.watching();
    await watch.sees('2 healthy');
    await hostStatus(hostId(2), { state: 'Restarting' });
    await watch.sees('is Restarting');
    await hostStatus(hostId(2), { state: 'Serving' });
    await watch.sees('is Serving');
    await host('mini-01', { pool: 'desk' });
    await watch.sees('mini-01 is not observed');
    await hostStatus('mini-01', { state: 'Available' });
    await watch.sees('mini-01 is Available');
    const { metadata, kind } = await machine('mac-3');
    await watch.sees('mac-3   + added');
    const consumerRef = { apiGroup: 'x', kind, namespace: 'fleet', name: 'mac-3', uid: metadata.uid ?? '' };
    await patch({ consumerRef, claimEpoch: 2 });
    await hostStatus('mini-01', { state: 'Claimed' });
    await watch.sees('is Claimed');
    await patch({ consumerRef: null, quarantine: { reason: 'its fan is loud' } });
    await watch.sees('is Quarantined');
    await hostStatus(hostId(1), { state: 'Missing' });
    await watch.sees('is Missing');
    await watch.stop();
    assert.deepEqual(watch.lines(), [
      '= 2 hosts: 2 healthy',
      `mac-2   · host ${hostId(2)} is Restarting: the provider restarts it through the vendor`,
      `mac-2   · host ${hostId(2)} is Serving fleet/mac-2`,
      'mini-01   + added',
      'mini-01   · host mini-01 is not observed by the provider yet',
      'mini-01   · host mini-01 is Available in pool desk',
      'mac-3   + added',
      'mac-3   · host mini-01 is Claimed by fleet/mac-3',
      'mini-01   · host mini-01 is Quarantined: its fan is loud',
      `mac-1   · host ${hostId(1)} is Missing: the vendor no longer lists its server`,
    ]);
  });

  test('watch -n prints no changes of Macs that another namespace holds', async () => {
    await cluster.machine('mac-9', { namespace: 'other', spec: { claimRef: { name: hostId(9), epoch: 1 } } });
    const watch = cluster.watching(['-n', 'fleet']);
    await watch.sees('2 healthy');
    await cluster.hostStatus(hostId(9), { state: 'Restarting' });
    await cluster.hostStatus(hostId(1), { state: 'Restarting' });
    await watch.sees('is Restarting');
    await watch.stop();
    assert.equal(watch.lines().length, 2);
  });

  test('watch prints events of a MacHost under the name of its machine', async () => {
    const watch = cluster.watching();
    await watch.sees('2 healthy');
    const regarding = await cluster.client.get(macHosts, { name: hostId(2) });
    await cluster.event('Warning', 'NotQuiesced', 'the agent may still run', regarding);
    await eventually(() => cluster.clock.nextTimer());
    await cluster.clock.advance(seconds(2));
    await watch.sees('NotQuiesced');
    await watch.stop();
    assert.deepEqual(watch.lines().slice(1), ['mac-2   ! NotQuiesced: the agent may still run']);
  });

  test('watch follows MacMachines, and a free Mac by its name', async () => {
    await cluster.machine('desk-a', { kind: 'MacMachine', spec: { claimRef: { name: 'mini-01', epoch: 1 } } });
    const watch = cluster.watching(['desk-a']);
    await watch.sees('1 host: 0 healthy, 1 starting\n');
    await watch.stop();
    await cluster.host('mini-02');
    const free = cluster.watching(['mini-02']);
    await free.sees('0 hosts\n');
    await free.stop();
  });

  test('watch finds hosts by machine name, Node name or server id and refuses unknown hosts', async () => {
    for (const name of ['mac-2', 'node-2', hostId(2)]) {
      const watch = cluster.watching([name]);
      await watch.sees('1 host: 1 healthy\n');
      await watch.stop();
    }
    const { code, errors } = await cluster.run('watch', 'mac-2', 'missing');
    assert.equal(code, 1);
    assert.match(errors, /hosts "missing" not found; see `minifleet get hosts`/);
    assert.equal((await cluster.run('watch', '-n', 'other', '--until-healthy')).output.slice(10), '= 0 hosts\n');
  });

  test('watch on a terminal keeps a summary in the last line and wraps no line', async () => {
    await cluster.status('mac-1', served, [ready, drifted]);
    for (const columns of [80, 50]) {
      const screen = terminalScreen(columns);
      const watch = cluster.watching([], { output: screen });
      await eventually(() => /\S 2 hosts: 1 healthy, 1 unhealthy \(mac-1, 0s\)\n$/.test(screen.text()));
      await cluster.clock.advance(seconds(12));
      assert.match(screen.text(), /\S 2 hosts: 1 healthy, 1 unhealthy \(mac-1, \d+s\)\n$/);
      assert.match(screen.text(), /✗ for .*DriftFound.*…\n/);
      for (const line of screen.text().split('\n')) assert.ok(line.length <= columns, line);
      await watch.stop();
      assert.doesNotMatch(screen.text(), /[⠋-⠿] 2 hosts/);
      await cluster.status('mac-1', served, [ready, { ...bootstrapped }]);
      await cluster.status('mac-1', served, [ready, drifted]);
    }
  });

  test('watch uses colours only on a terminal without NO_COLOR', async () => {
    await cluster.status('mac-1', served, [ready, drifted]);
    const shown = async (context: Partial<CliContext>): Promise<string> => {
      let text = '';
      const write = (more: string): string => (text += more);
      const watch = cluster.watching([], { output: { write, isTTY: true, columns: 80 }, ...context });
      await eventually(() => text.includes('DriftFound'));
      await watch.stop();
      return text;
    };
    assert.ok((await shown({ colours: true })).includes('\u001b[31m✗'));
    assert.ok(!(await shown({ colours: false })).includes('\u001b[31m'));
  });

  test('watch -o json prints one object per line', async () => {
    const watch = cluster.watching(['-o', 'json']);
    await watch.sees('summary');
    await cluster.status('mac-1', served, [ready, drifted]);
    await watch.sees('DriftFound');
    await cluster.clock.advance(seconds(3));
    await cluster.status('mac-1', served, [ready, bootstrapped]);
    await watch.sees('recovered');
    await watch.stop();
    const [, trouble, end] = watch.lines().map(line => JSON.parse(line) as Record<string, unknown>);
    const about = { kind: 'host', namespace: 'fleet', name: 'mac-1' };
    assert.deepEqual(trouble, {
      time: '2030-01-01T00:00:00Z',
      type: 'problem',
      ...about,
      message: `DriftFound: ${drifted.message}`,
    });
    assert.deepEqual(end, {
      time: '2030-01-01T00:00:03Z',
      type: 'recovered',
      ...about,
      message: 'recovered after 3s',
      seconds: 3,
    });
  });
});

describe('a cluster with lost connections or missing permissions', () => {
  test('watch prints a lost connection once, and missed changes after reconnection', async () => {
    const watch = cluster.watching();
    await watch.sees('2 healthy');
    cluster.faults.dropNext({ when: 'before', match: { method: 'GET' }, times: 40 });
    cluster.faults.dropWatches();
    await watch.sees('connection to the API server lost');
    await cluster.clock.advance(seconds(3));
    cluster.faults.clear();
    await cluster.status('mac-1', served, [ready, drifted]);
    await eventually(async () => {
      await cluster.clock.advance(seconds(1));
      return watch.text().includes('reconnected') && watch.text().includes('DriftFound');
    });
    await watch.stop();
    const printed = watch.lines().join('\n');
    assert.equal(printed.match(/connection to the API server lost/g)?.length, 1, printed);
    assert.equal(printed.match(/reconnected to the API server/g)?.length, 1, printed);
  });

  test('watch warns about Nodes that the user may not list and prints the rest', async () => {
    const match = { path: '/api/v1/nodes' };
    cluster.faults.failNext({ match, status: 403, reason: 'Forbidden', message: 'you may not', times: 9 });
    await cluster.status('mac-1', served, [ready, drifted]);
    const watch = cluster.watching();
    await watch.sees('DriftFound');
    assert.match((await watch.stop()).errors, /you are not allowed to list nodes; their changes are not shown/);
  });

  test('watch fails if the user may not list machines', async () => {
    const path = '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/scalewayapplesiliconmachines';
    cluster.faults.failNext({ match: { path }, status: 403, reason: 'Forbidden', message: 'no list', times: 9 });
    const { code, errors } = await cluster.run('watch');
    assert.deepEqual([code, /PERMISSION_DENIED/.test(errors)], [1, true], errors);
  });
});
