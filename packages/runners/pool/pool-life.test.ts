import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runnerPool } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import type { MemoryForge } from '@minifleet/forges/testing';
import { nodes, secrets } from '@minifleet/kube';
import { type PoolBench, poolBench } from '../testing/pool-bench.ts';

const open = async (t: { after(end: () => Promise<void>): void }, ...args: Parameters<typeof poolBench>) => {
  const bench = await poolBench(...args);
  t.after(() => bench.stop());
  return bench;
};
/** Its job is over, and so is it. */
async function finishJob({ forge, mac, settle }: PoolBench, name: string): Promise<void> {
  forge.finishJob(name);
  await mac.exit(name, 0);
  await settle();
}

describe('a runner', () => {
  test('a runner is a Secret, then a Pod, and is registered once scheduled', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.alive();
    assert.match(name, /^macos-[0-9a-f]{8}$/);
    const runner = bench.forge.find(name);
    assert.deepEqual([runner.state, runner.singleJob], ['offline', true]);
    assert.deepEqual([...runner.labels].sort(), ['ARM64', 'macOS', 'macos-26', 'self-hosted']);
    const [secret] = await bench.secrets();
    assert.equal(secret?.metadata.name, name);
    assert.equal(secret?.metadata.annotations?.['minifleet.dev/runner-id'], String(runner.id));
  });

  test('an unschedulable runner is not registered', async t => {
    const bench = await open(t);
    bench.mac.slots.clear();
    await bench.pool({ replicas: 2 });
    assert.equal((await bench.alive()).length, 2);
    assert.deepEqual(bench.forge.all(), []);
    assert.equal((await bench.status()).pending, 2);
  });

  test('a runner that finished its job is replaced at once', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 2 });
    const [name = '', other = ''] = await bench.warm();
    assert.equal(await bench.condition('Ready'), 'True Ready');
    bench.forge.takeJob(name);
    await bench.pass(seconds(31));
    const { idle, busy } = await bench.status();
    assert.deepEqual([idle, busy], [1, 1]);
    await finishJob(bench, name);
    const alive = await bench.alive();
    assert.equal(alive.length, 2);
    assert.ok(!alive.includes(name) && alive.includes(other));
    assert.deepEqual(
      (await bench.secrets()).map(({ metadata }) => metadata.name).sort(),
      [...alive].sort(),
      'what was left of it is cleared',
    );
    assert.deepEqual(
      bench.ends.map(({ runner, outcome, host }) => [runner, outcome, host]),
      [[name, 'JobDone', 'mac-1']],
    );
    const { ended, recentEnds } = await bench.status();
    assert.deepEqual([ended, recentEnds?.[0]?.runner, recentEnds?.[0]?.exitCode], [{ JobDone: 1 }, name, 0]);
  });

  test('a job that was never observed is counted from the runner log', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.words.set(name, 'Listening for Jobs\nRunning job: build\nJob build completed with result: Succeeded\n');
    await bench.mac.exit(name, 0);
    await bench.settle();
    assert.equal(bench.ends[0]?.outcome, 'JobDone');
    assert.match(bench.ends[0]?.log ?? '', /completed with result/);
  });

  test('a runner that is idle for too long is replaced', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1, idleTimeoutSeconds: 60 });
    const [name = ''] = await bench.warm();
    await bench.pass(seconds(70));
    assert.deepEqual(
      bench.ends.map(({ runner, outcome, reason }) => [runner, outcome, reason]),
      [[name, 'Removed', 'IdleTooLong']],
    );
    assert.equal((await bench.alive()).length, 1);
    assert.ok(!bench.forge.all().some(runner => runner.name === name));
  });
});

describe('a pool that gets smaller', () => {
  test('scale-down removes idle runners, each at GitHub first', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 3 });
    await bench.warm();
    await bench.change({ replicas: 1 });
    assert.equal((await bench.alive()).length, 1);
    assert.equal(bench.forge.all().length, 1);
    assert.deepEqual(
      bench.ends.map(({ reason }) => reason),
      ['ScaledDown', 'ScaledDown'],
    );
  });

  test('scale-down keeps a runner that takes a job meanwhile, and removes another', async t => {
    const late: { name?: string; forge?: MemoryForge } = {};
    const bench = await open(t, {
      onCall({ call, id }) {
        const asked = late.forge?.all().find(runner => runner.id === id);
        if (call !== 'remove' || !asked || late.name !== undefined) return;
        late.name = asked.name;
        late.forge?.takeJob(asked.name);
      },
    });
    late.forge = bench.forge;
    await bench.pool({ replicas: 2 });
    await bench.warm();
    await bench.change({ replicas: 1 });
    const alive = await bench.alive();
    assert.ok(late.name && alive.includes(late.name), 'the one with the job stays');
    assert.deepEqual(alive, [late.name], 'and the other goes');
    assert.equal((await bench.status()).busy, 1);
  });

  test('scale-down lets a runner whose job just ended exit by itself, and counts the job', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.forge.takeJob(name);
    bench.forge.finishJob(name);
    await bench.change({ replicas: 0 });
    assert.deepEqual([await bench.alive(), bench.ends], [[name], []]);
    bench.words.set(name, 'Running job: build\nJob build completed with result: Succeeded\n');
    await bench.mac.exit(name, 0);
    await bench.settle();
    assert.deepEqual([await bench.alive(), bench.ends.map(({ outcome }) => outcome)], [[], ['JobDone']]);
  });

  test('scale-down to zero keeps busy runners until their jobs are done', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 2 });
    const [name = ''] = await bench.warm();
    bench.forge.takeJob(name);
    await bench.change({ replicas: 0 });
    assert.deepEqual(await bench.alive(), [name]);
    await finishJob(bench, name);
    assert.deepEqual([await bench.alive(), (await bench.secrets()).length], [[], 0]);
    assert.equal(await bench.condition('Ready'), 'True Ready');
  });
});

test('another image is rolled out gradually and never interrupts a job', async t => {
  const bench = await open(t);
  // A place is found when a Pod is made, while the one it replaces may still hold its own.
  bench.mac.slots.set('mac-3', 2);
  await bench.pool({ replicas: 4 });
  const first = await bench.warm();
  const [busy = ''] = first;
  bench.forge.takeJob(busy);
  await bench.pass(seconds(31));
  await bench.change({ image: 'registry.example/runner:27' });
  assert.equal((await bench.alive()).filter(name => first.includes(name)).length, 3, 'one is taken, the next waits');
  for (let round = 0; round < 4; round++) await bench.warm();
  const stale = (await bench.alive()).filter(name => first.includes(name));
  assert.deepEqual(stale, [busy]);
  assert.match(await bench.condition('Rolling'), /^True WaitingForJobs 1 of 4/);
  await finishJob(bench, busy);
  assert.match(await bench.condition('Rolling'), /^False UpToDate/);
  assert.equal((await bench.status()).observedImage, 'registry.example/runner:27');
});

test('a cordoned Node loses idle runners at once, busy ones finish', async t => {
  const bench = await open(t);
  await bench.pool({ replicas: 4 });
  await bench.warm();
  const [busy = ''] = (await bench.pods())
    .filter(({ spec }) => spec?.nodeName === 'mac-1')
    .map(one => one.metadata.name);
  bench.forge.takeJob(busy);
  bench.mac.slots.delete('mac-1');
  await bench.client.patch(nodes, { name: 'mac-1' }, { type: 'merge', body: { spec: { unschedulable: true } } });
  await bench.settle();
  const on = async () =>
    (await bench.pods()).filter(({ spec }) => spec?.nodeName === 'mac-1').map(one => one.metadata.name);
  assert.deepEqual(await on(), [busy]);
  await finishJob(bench, busy);
  assert.deepEqual(await on(), []);
});

describe('a pool that is deleted', () => {
  test('a deleted pool waits for jobs, and for all runners and registrations to go', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 2 });
    const [name = ''] = await bench.warm();
    bench.forge.takeJob(name);
    const key = { namespace: 'runners', name: 'macos' };
    await bench.client.delete(runnerPool.resource, key);
    await bench.settle();
    assert.deepEqual(await bench.alive(), [name]);
    assert.match(await bench.condition('Deleting'), /^True WaitingForJobs/);
    await finishJob(bench, name);
    assert.equal(await bench.client.find(runnerPool.resource, key), undefined);
    assert.deepEqual([bench.forge.all(), await bench.secrets()], [[], []]);
    assert.deepEqual(bench.pools().figures(), []);
  });

  test('a deleted pool with missing credentials does not wait for registrations', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.warm();
    bench.forge.takeJob(name);
    await bench.pass(seconds(31));
    await bench.client.delete(secrets, { namespace: 'runners', name: 'github-app' });
    const key = { namespace: 'runners', name: 'macos' };
    await bench.client.delete(runnerPool.resource, key);
    await bench.pass(seconds(60));
    assert.deepEqual(await bench.alive(), [name], 'it may have a job');
    await finishJob(bench, name);
    await bench.pass(seconds(60));
    assert.equal(await bench.client.find(runnerPool.resource, key), undefined);
  });
});

test('the JIT configuration is only in the Secret of the runner', async t => {
  const bench = await open(t);
  await bench.pool({ replicas: 2 });
  const [name = ''] = await bench.warm();
  bench.words.set(name, `what it was given: configuration-${bench.forge.find(name).id}\n`);
  bench.forge.takeJob(name);
  await finishJob(bench, name);
  await bench.pass(seconds(60));
  const pool = await bench.client.get(runnerPool.resource, { namespace: 'runners', name: 'macos' });
  const shown = (await bench.secrets()).map(secret => ({ ...secret, data: undefined }));
  const all = JSON.stringify([pool, await bench.pods(), shown, await bench.happened(), bench.logged, bench.ends]);
  assert.doesNotMatch(all, /configuration-\d|Y29uZmlndXJhdGlvbi/);
  const held = (await bench.secrets()).filter(({ data }) => data?.['jitconfig'] !== undefined);
  assert.equal(held.length, 2, 'and there it is');
});

test('an idle pool lists runners every 30 seconds and writes nothing', async t => {
  const bench = await open(t);
  await bench.pool({ replicas: 2 });
  await bench.pool({ replicas: 1 }, 'other');
  await bench.warm();
  await bench.pass(seconds(60));
  const writes = () => bench.api.requests.filter(({ method }) => method !== 'GET').length;
  const [before, calls] = [writes(), bench.forge.calls.length];
  await bench.pass(seconds(300));
  assert.equal(writes() - before, 0);
  const asked = bench.forge.calls.slice(calls).map(({ call }) => call);
  assert.ok(asked.length <= 10 && asked.every(call => call === 'runners'), asked.join(' '));
});
