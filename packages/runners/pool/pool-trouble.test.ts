import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { FORGE_BUSY } from '@minifleet/forges';
import { nodes, pods, secrets } from '@minifleet/kube';
import { poolBench } from '../testing/pool-bench.ts';

const open = async (t: { after(end: () => Promise<void>): void }) => {
  const bench = await poolBench();
  t.after(() => bench.stop());
  return bench;
};
const key = (name: string) => ({ namespace: 'runners', name });
const ended = (ends: readonly { readonly outcome: string; readonly reason: string }[]) =>
  ends.map(({ outcome, reason }) => `${outcome} ${reason}`);

describe('a runner that does not come up', () => {
  test('a runner that exceeds its start timeout is replaced, with event and record', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.alive();
    await bench.mac.boot(name);
    await bench.pass(seconds(290));
    assert.deepEqual(await bench.alive(), [name]);
    await bench.pass(seconds(20));
    assert.deepEqual(ended(bench.ends), ['NeverStarted StartTimedOut']);
    assert.ok(!bench.forge.all().some(runner => runner.name === name), 'its registration is gone');
    assert.match((await bench.happened()).join('\n'), /RunnerNeverStarted/);
    await bench.pass(seconds(20));
    assert.equal((await bench.alive()).length, 1);
  });

  test('I40 a VM that never boots is reported with its stage, and the next runner avoids the host', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.alive();
    await bench.mac.neverBoots(name, 'the guest did not ask for an address within 5m (stage boot)');
    await bench.pass(seconds(31));
    assert.deepEqual(ended(bench.ends), ['NeverStarted BootTimedOut']);
    assert.match(bench.ends[0]?.log ?? '', /stage boot/);
    assert.match((await bench.happened()).join('\n'), /RunnerNeverStarted runner \S+ on mac-1 .*\(stage boot\)/);
    const next = (await bench.pods()).find(({ metadata }) => metadata.name !== name);
    assert.match(JSON.stringify(next?.spec?.affinity), /"operator":"NotIn","values":\["mac-1"\]/);
  });

  test('the start timeout of a runner does not run during an image pull', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.alive();
    await bench.mac.hold(name, 'ContainerCreating');
    await bench.pass(minutes(20));
    assert.deepEqual([await bench.alive(), bench.ends], [[name], []]);
  });

  test('a failing runner is retried ever more slowly, and the pool reports why', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const made: number[] = [];
    for (let round = 0; round < 4; round++) {
      const [name = ''] = await bench.alive();
      await bench.mac.boot(name);
      await bench.mac.exit(name, 1);
      await bench.settle();
      const since = bench.clock.now();
      assert.match(await bench.condition('Ready'), /^False CrashBackOff .*Crashed \(Error\)$/);
      while ((await bench.alive()).length === 0) await bench.pass(seconds(1));
      made.push(Math.round((bench.clock.now() - since) / 1_000));
    }
    assert.deepEqual(
      made.map(time => Math.floor(time / 10) * 10),
      [10, 20, 40, 80],
    );
    assert.deepEqual((await bench.status()).ended, { Crashed: 4 });
  });

  test('a runner that exits without a job counts as a failure of its image', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    await bench.mac.exit(name, 0);
    await bench.settle();
    assert.deepEqual(bench.ends, [], 'the forge may be slow to forget one whose job is done');
    await bench.pass(seconds(30));
    assert.deepEqual(ended(bench.ends), ['NoJob Completed']);
    assert.equal((await bench.status()).crashes?.failures, 1);
  });
});

test('a runner that GitHub removed while it was idle is replaced at once and counts as no failure', async t => {
  const bench = await open(t);
  await bench.pool({ replicas: 1 });
  for (let round = 0; round < 5; round++) {
    const [name = ''] = await bench.warm();
    bench.words.set(
      name,
      'Listening for Jobs\nThe runner no longer exists on the server. Cleaning up local configuration.\n',
    );
    bench.forge.forget(name);
    await bench.mac.exit(name, 0);
    await bench.settle();
    assert.equal((await bench.alive()).length, 1, 'its replacement does not wait');
  }
  assert.deepEqual([...new Set(ended(bench.ends))], ['RemovedByGitHub Completed']);
  const { crashes, ended: counted } = await bench.status();
  assert.deepEqual([crashes, counted], [undefined, { RemovedByGitHub: 5 }]);
});

describe('a host that is lost in the middle of a job', () => {
  test('a host lost during a job is recorded as HostLost, and its runner is replaced', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.forge.takeJob(name);
    await bench.pass(seconds(31));
    bench.mac.slots.delete('mac-1');
    await bench.client.delete(nodes, { name: 'mac-1' });
    // As Kubernetes does with the Pods of a Node that is gone.
    await bench.client.delete(pods, key(name), { gracePeriodSeconds: 0 });
    await bench.settle();
    assert.deepEqual(ended(bench.ends), ['HostLost NodeGone']);
    assert.equal((await bench.alive()).length, 1, 'its place is filled');
    assert.ok(
      (await bench.secrets()).some(({ metadata }) => metadata.name === name),
      'its record stays',
    );
    await bench.pass(seconds(60));
    assert.match(await bench.condition('ForgeReachable'), new RegExp(`^True StaleRegistrations .*${name}`));
    assert.equal(bench.pools().figures()[0]?.staleRegistrations, 1);
    bench.forge.finishJob(name);
    await bench.pass(seconds(120));
    assert.ok(!(await bench.secrets()).some(({ metadata }) => metadata.name === name), 'and goes in the end');
    assert.equal(bench.ends.length, 1);
  });

  test('a stuck Pod of a lost host is reported with its cause', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.mac.silent.add('mac-1');
    await bench.client.delete(pods, key(name));
    await bench.pass(minutes(6));
    assert.match(await bench.condition('PodsTerminating'), new RegExp(`^True Stuck ${name}: `));
    const figures = bench.pools().figures()[0];
    assert.deepEqual([figures?.terminating, figures?.stuck, (await bench.alive()).length], [1, 1, 1]);
    bench.mac.silent.clear();
    await bench.pass(seconds(31));
    assert.match(await bench.condition('PodsTerminating'), /^False NoneStuck/);
    assert.deepEqual(ended(bench.ends), ['Vanished PodGone']);
  });

  test('a dead VM with a used registration is reaped normally', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.forge.disconnect(name);
    await bench.mac.exit(name, 137, 'NodeRebooted');
    await bench.settle();
    assert.deepEqual(ended(bench.ends), ['HostLost NodeRebooted']);
    const alive = await bench.alive();
    assert.ok(alive.length === 1 && !alive.includes(name));
    assert.ok(!bench.forge.all().some(runner => runner.name === name));
  });
});

describe('a runner that is gone from its forge', () => {
  test('a runner lost at GitHub may exit by itself before it is removed', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.forge.forget(name);
    await bench.pass(minutes(4));
    assert.deepEqual(await bench.alive(), [name]);
    assert.match(await bench.condition('Ready'), new RegExp(`^False RunnersOffline .*${name} as offline$`));
    await bench.pass(minutes(2));
    assert.deepEqual(ended(bench.ends), ['Removed RegistrationLost']);
    const alive = await bench.alive();
    assert.ok(alive.length === 1 && !alive.includes(name));
  });

  test('a runner whose registration expired before its start is NeverStarted', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.alive();
    bench.forge.forget(name);
    await assert.rejects(bench.mac.start(name), /registration of this runner has been deleted/);
    await bench.mac.exit(name, 1);
    await bench.pass(seconds(31));
    assert.deepEqual(ended(bench.ends), ['Crashed Error']);
    assert.equal((await bench.alive()).length, 1);
  });

  test('a runner dropped by GitHub during a job is JobLost', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.forge.takeJob(name);
    await bench.pass(minutes(1));
    bench.mac.silent.add('mac-1');
    bench.forge.forget(name);
    await bench.pass(minutes(6));
    assert.deepEqual(ended(bench.ends), ['JobLost RegistrationLost']);
  });

  test('an offline runner is kept while GitHub reports it as busy', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.forge.takeJob(name);
    bench.forge.disconnect(name);
    await bench.pass(minutes(10));
    assert.deepEqual([await bench.alive(), bench.ends], [[name], []]);
  });
});

describe('trouble with the forge', () => {
  test('a GitHub failure is reported, keeps running runners, and clears afterwards', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 2 });
    const warm = await bench.warm();
    bench.forge.failNext({
      call: 'runners',
      when: 'before',
      times: 3,
      error: FORGE_BUSY({ forge: 'memory', call: 'x' }),
    });
    await bench.pass(seconds(31));
    assert.match(await bench.condition('ForgeReachable'), /^False ForgeUnavailable memory: x is rate limited/);
    const asked = bench.forge.calls.length;
    await bench.change({ replicas: 1 });
    await bench.pass(seconds(20));
    assert.deepEqual(await bench.alive(), warm, 'nobody is taken who cannot be asked for');
    assert.equal(bench.forge.calls.length, asked);
    await bench.pass(seconds(240));
    assert.match(await bench.condition('ForgeReachable'), /^True Reachable/);
    assert.equal((await bench.alive()).length, 1);
  });

  test('a GitHub failure of one pool does not affect others', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1, forge: { account: 'tuist', secretName: 'github-app', group: 'macs' } });
    await bench.pool({ replicas: 1 }, 'other');
    await bench.pass(seconds(31));
    assert.match(await bench.condition('ForgeReachable'), /^False RunnerGroupUnknown .* runner group macs not found/);
    assert.match(await bench.condition('ForgeReachable', 'other'), /^True/);
  });

  test('a missing GitHub Secret is reported, and no Pod is created', async t => {
    const bench = await open(t);
    await bench.client.delete(secrets, key('github-app'));
    await bench.pool({ replicas: 2 });
    assert.match(await bench.condition('ForgeReachable'), /^False SecretMissing Secret runners\/github-app not found/);
    assert.deepEqual(await bench.alive(), []);
    await bench.client.create(secrets, { metadata: key('github-app'), data: {} });
    await bench.pass(seconds(31));
    assert.equal((await bench.alive()).length, 2);
  });

  test('a registration with a lost answer is repeated and exists once', async t => {
    const bench = await open(t);
    bench.forge.failNext({ call: 'singleJobRunner', when: 'after' });
    await bench.pool({ replicas: 1 });
    await bench.pass(seconds(31));
    const [name = ''] = await bench.warm();
    assert.deepEqual(
      bench.forge.all().map(runner => [runner.name, runner.state]),
      [[name, 'online']],
    );
  });
});

test('a pool for Linux or without spec.forge reports what is missing', async t => {
  const bench = await open(t);
  await bench.pool({ replicas: 1, os: 'linux' });
  await bench.pool({ replicas: 1, forge: undefined }, 'older');
  assert.match(await bench.condition('Ready'), /^False OSNotSupported/);
  assert.match(await bench.condition('ForgeReachable', 'older'), /^False ForgeNotNamed/);
  assert.deepEqual(await bench.alive(), []);
});

test('a Pod rejected by the API server is reported, and its Secret is removed', async t => {
  const bench = await open(t);
  bench.api.faults.failNext({ match: { method: 'POST', path: /pods$/ }, status: 403, message: 'exceeded quota' });
  await bench.pool({ replicas: 1 });
  await bench.pass(seconds(31));
  const alive = await bench.alive();
  assert.equal(alive.length, 1);
  assert.deepEqual(
    (await bench.secrets()).map(({ metadata }) => metadata.name),
    alive,
  );
});

test('a runner end is counted once across controllers', async t => {
  const bench = await open(t);
  await bench.pool({ replicas: 1 });
  const [name = ''] = await bench.warm();
  bench.forge.takeJob(name);
  await bench.pass(seconds(31));
  bench.api.faults.dropNext({
    match: { method: 'DELETE', path: new RegExp(`pods/${name}$`) },
    when: 'before',
    times: 9,
  });
  bench.forge.finishJob(name);
  await bench.mac.exit(name, 0);
  await bench.settle();
  assert.deepEqual((await bench.status()).ended, { JobDone: 1 });
  await bench.restart();
  bench.api.faults.clear();
  await bench.pass(seconds(60));
  assert.ok(!(await bench.pods()).some(({ metadata }) => metadata.name === name));
  assert.deepEqual([(await bench.status()).ended, bench.ends.length], [{ JobDone: 1 }, 1]);
});
