import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
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

describe('minifleet watch --until-healthy', () => {
  test('watch --until-healthy exits at once if everything is healthy', async () => {
    const { code, output } = await cluster.run('watch', '--until-healthy');
    assert.equal(code, 0);
    assert.match(output, /^\S+ {2}= 2 hosts: 2 healthy\n$/);
  });

  test('watch --until-healthy exits after the last recovery with a summary', async () => {
    await cluster.status('mac-1', served, [ready, drifted]);
    const watch = cluster.watching(['--until-healthy', '--timeout', '5m']);
    await watch.sees('DriftFound');
    await cluster.status('mac-1', served, [ready, bootstrapped]);
    assert.equal((await watch.run).code, 0);
    assert.match(watch.lines().slice(-2).join('\n'), /recovered after 0s\n= 2 hosts: 2 healthy$/);
    assert.equal(cluster.clock.pending, 0);
  });

  test('watch --until-healthy waits for the effect of an injected fault, up to two minutes', async () => {
    await cluster.clock.advance(seconds(5));
    await cluster.broken();
    const watch = cluster.watching(['--until-healthy']);
    await watch.sees('fault injected');
    await cluster.clock.advance(seconds(100));
    await cluster.nodeReady('False', 'the agent stops');
    await watch.sees('Node NotReady');
    await cluster.nodeReady('True', '');
    assert.equal((await watch.run).code, 0);
    const again = cluster.watching(['--until-healthy']);
    await again.sees('fault injected');
    await cluster.clock.advance(seconds(20));
    assert.equal((await again.run).code, 0);
  });

  test('watch --until-healthy does not wait for a fault that has already recovered', async () => {
    await cluster.clock.advance(seconds(5));
    await cluster.broken();
    await cluster.status('mac-2', served, [{ ...ready, status: 'False' }]);
    await cluster.clock.advance(seconds(5));
    await cluster.status('mac-2', served, [ready]);
    const { code, output } = await cluster.run('watch', '--until-healthy');
    assert.equal(code, 0);
    assert.match(output, /2 hosts: 2 healthy\n.*fault injected.*\n$/);
  });

  test('watch --until-healthy --timeout succeeds if an injected fault has no effect', async () => {
    await cluster.clock.advance(seconds(5));
    await cluster.broken();
    const watch = cluster.watching(['--until-healthy', '--timeout', '10s']);
    await watch.sees('fault injected');
    await cluster.clock.advance(seconds(10));
    const { code, errors } = await watch.run;
    assert.deepEqual([code, errors], [0, '']);
  });

  test('watch --until-healthy exits with 3 after --timeout and prints the summary', async () => {
    await cluster.status('mac-1', served, [ready, drifted]);
    const watch = cluster.watching(['--until-healthy', '--timeout', '1m30s']);
    await watch.sees('DriftFound');
    await cluster.clock.advance(seconds(90));
    const { code, errors } = await watch.run;
    assert.equal(code, 3);
    assert.match(errors, /^minifleet: timed out after 1m30s: 2 hosts: 1 healthy, 1 unhealthy \(mac-1, 1m30s\)\n$/);
  });

  test('watch refuses an invalid --timeout and --timeout without --until-healthy', async () => {
    const wrong = await cluster.run('watch', '--until-healthy', '--timeout', 'soon');
    assert.equal(wrong.code, 2);
    assert.match(wrong.errors, /use a duration such as 90s, 30m or 1h/);
    assert.equal((await cluster.run('watch', '--timeout', '5m')).code, 2);
  });
});
