import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type PoolBench, poolBench } from '../testing/pool-bench.ts';

const open = async (t: { after(end: () => Promise<void>): void }) => {
  const bench = await poolBench();
  t.after(() => bench.stop());
  return bench;
};

const WORDS = (version: string): string =>
  `Current runner version: '${version}'\n2030-01-01 00:00:00Z: Listening for Jobs\n` +
  `An error occured: [Error: Forbidden ]Runner version v${version} is deprecated and cannot receive messages.\n`;

/** Starts every runner that waits, and GitHub refuses its version. Returns their names. */
async function refuse(bench: PoolBench, exitCode: 0 | 7): Promise<readonly string[]> {
  const names = await bench.alive();
  for (const name of names) {
    await bench.mac.start(name);
    bench.words.set(name, WORDS('2.336.0'));
    bench.forge.disconnect(name);
    await bench.mac.exit(name, exitCode);
  }
  await bench.settle();
  return names;
}

for (const exitCode of [7, 0] as const) {
  test(`a runner that exits with ${exitCode} and the words of GitHub is RunnerOutdated, and one trial follows in ten minutes`, async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    await refuse(bench, exitCode);
    await refuse(bench, exitCode); // the replacement that exit code 0 gets before its log is read
    assert.ok(bench.ends.every(({ outcome, version }) => outcome === 'RunnerOutdated' && version === '2.336.0'));
    assert.match(
      await bench.condition('RunnerVersionSupported'),
      /^False Outdated .*actions\/runner 2\.336\.0\. Rebuild/,
    );
    assert.match(
      await bench.condition('Ready'),
      /^False RunnerOutdated 1 of 1 runners are missing: GitHub gives no jobs/,
    );
    assert.match((await bench.happened()).join('\n'), /RunnerOutdated runner/);
    assert.equal((await bench.status()).crashes, undefined, 'it is no failure of the image');
    await bench.pass(minutes(9));
    assert.deepEqual(await bench.alive(), []);
    await bench.pass(seconds(90));
    assert.equal((await bench.alive()).length, 1);
  });
}

test('a pool of refused runners tries one runner per ten minutes for a day and recovers alone', async t => {
  const bench = await open(t);
  await bench.pool({ replicas: 3 });
  await refuse(bench, 7);
  let trials = 0;
  for (let round = 0; round < 144; round++) {
    await bench.pass(minutes(10), minutes(1));
    trials += (await refuse(bench, 7)).length;
  }
  assert.ok(trials > 100 && trials <= 144, `${trials} trials in a day`);
  while ((await bench.alive()).length === 0) await bench.pass(minutes(1));
  await bench.warm();
  await bench.pass(minutes(3));
  assert.equal((await bench.alive()).length, 3, 'the rest follows the accepted trial');
  assert.equal((await bench.status()).outdated, undefined);
  assert.doesNotMatch(await bench.condition('RunnerVersionSupported'), /Outdated/);
});

test('a refusal of a version that GitHub still supports is reported as a probable outage', async t => {
  const bench = await open(t);
  bench.forge.versions.set('2.336.0', { endsAt: undefined });
  await bench.pool({ replicas: 1 });
  await refuse(bench, 7);
  await bench.pass(seconds(31));
  assert.match(await bench.condition('RunnerVersionSupported'), /^False Outdated .*probably an outage of GitHub/);
});

test('another image ends the trials of a refused runner version at once', async t => {
  const bench = await open(t);
  await bench.pool({ replicas: 2 });
  await refuse(bench, 7);
  await bench.pass(seconds(31));
  assert.equal((await bench.alive()).length, 0);
  await bench.change({ image: 'registry.example/runner:27' });
  assert.equal((await bench.alive()).length, 2);
});

test('a pool asks GitHub once a day for the version of its runners and warns 14 days before the end', async t => {
  const bench = await open(t);
  const asked = () => bench.forge.calls.filter(({ call }) => call === 'runnerVersion').length;
  bench.forge.versions.set('2.336.0', { endsAt: bench.clock.now() + minutes(15 * 24 * 60) });
  await bench.pool({ replicas: 1 });
  const [name = ''] = await bench.warm();
  assert.equal(asked(), 0, 'no runner has reported its version');
  bench.forge.put({ name, version: '2.336.0' });
  await bench.pass(minutes(2));
  assert.match(await bench.condition('RunnerVersionSupported'), /^True Supported/);
  await bench.pass(minutes(22 * 60), minutes(10));
  assert.equal(asked(), 1);
  await bench.pass(minutes(3 * 60), minutes(10));
  assert.equal(asked(), 2);
  assert.match(
    await bench.condition('RunnerVersionSupported'),
    /^True EndsSoon GitHub stops giving jobs to actions\/runner 2\.336\.0 at /,
  );
  assert.match(await bench.condition('Ready'), /^True Ready/);
});
