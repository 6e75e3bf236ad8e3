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

describe('minifleet watch --until-well', () => {
  test('ends at once when nothing is in trouble', async () => {
    const { code, output } = await cluster.run('watch', '--until-well');
    assert.equal(code, 0);
    assert.match(output, /^\S+ {2}= 2 hosts: 2 well\n$/);
  });

  test('ends when the last trouble does, and says how things stand', async () => {
    await cluster.status('mac-1', served, [ready, drifted]);
    const watch = cluster.watching(['--until-well', '--timeout', '5m']);
    await watch.sees('DriftFound');
    await cluster.status('mac-1', served, [ready, bootstrapped]);
    assert.equal((await watch.run).code, 0);
    assert.match(watch.lines().slice(-2).join('\n'), /well again after 0s\n= 2 hosts: 2 well$/);
    assert.equal(cluster.clock.pending, 0);
  });

  test('waits for what was just broken to show, but not for ever', async () => {
    await cluster.clock.advance(seconds(5));
    await cluster.broken();
    const watch = cluster.watching(['--until-well']);
    await watch.sees('broken on purpose');
    await cluster.clock.advance(seconds(100));
    await cluster.nodeReady('False', 'the agent stops');
    await watch.sees('Node NotReady');
    await cluster.nodeReady('True', '');
    assert.equal((await watch.run).code, 0);
    const again = cluster.watching(['--until-well']);
    await again.sees('broken on purpose');
    await cluster.clock.advance(seconds(20));
    assert.equal((await again.run).code, 0);
  });

  test('does not wait for what was broken, has shown and is well again', async () => {
    await cluster.clock.advance(seconds(5));
    await cluster.broken();
    await cluster.status('mac-2', served, [{ ...ready, status: 'False' }]);
    await cluster.clock.advance(seconds(5));
    await cluster.status('mac-2', served, [ready]);
    const { code, output } = await cluster.run('watch', '--until-well');
    assert.equal(code, 0);
    assert.match(output, /2 hosts: 2 well\n.*broken on purpose.*\n$/);
  });

  test('after --timeout it is well, too, when nothing came of what was broken', async () => {
    await cluster.clock.advance(seconds(5));
    await cluster.broken();
    const watch = cluster.watching(['--until-well', '--timeout', '10s']);
    await watch.sees('broken on purpose');
    await cluster.clock.advance(seconds(10));
    const { code, errors } = await watch.run;
    assert.deepEqual([code, errors], [0, '']);
  });

  test('ends after --timeout with another exit code, and says what is still in trouble', async () => {
    await cluster.status('mac-1', served, [ready, drifted]);
    const watch = cluster.watching(['--until-well', '--timeout', '1m30s']);
    await watch.sees('DriftFound');
    await cluster.clock.advance(seconds(90));
    const { code, errors } = await watch.run;
    assert.equal(code, 3);
    assert.match(errors, /^minifleet: after 1m30s 2 hosts: 1 well, 1 in trouble \(mac-1, 1m30s\)\n$/);
  });

  test('a --timeout that cannot be read, or without --until-well, is a usage error', async () => {
    const wrong = await cluster.run('watch', '--until-well', '--timeout', 'soon');
    assert.deepEqual(
      [wrong.code, wrong.errors],
      [2, 'minifleet: --timeout soon is not a duration such as 90s, 30m or 1h\n'],
    );
    assert.equal((await cluster.run('watch', '--timeout', '5m')).code, 2);
  });
});
