import assert from 'node:assert/strict';
import { LABELS, registered, type Topic } from './forge-bench.ts';

export const readingContract: Topic = test => {
  test('the list has every runner, and a lookup by name returns the same', async bench => {
    const { forge } = bench;
    await registered(bench, 'mini-01');
    await forge.singleJobRunner({ name: 'pod-1', labels: LABELS });
    const listed = await forge.runners();
    assert.deepEqual(Object.fromEntries(listed.map(({ name, singleJob }) => [name, singleJob])), {
      'mini-01': false,
      'pod-1': true,
    });
    for (const runner of listed) assert.deepEqual(await forge.runner(runner.name), runner);
  });

  test('an account without runners has an empty list, and an unknown runner is undefined', async ({ forge }) => {
    assert.deepEqual(await forge.runners(), []);
    assert.equal(await forge.runner('mini-01'), undefined);
  });

  test('a runner lookup matches the whole name', async bench => {
    await registered(bench, 'mini-01');
    assert.equal(await bench.forge.runner('mini-0'), undefined);
    assert.equal(await bench.forge.runner('mini-011'), undefined);
  });

  test('a runner is reported online, busy and offline', async bench => {
    const { forge, takeJob, finishJob, disconnect } = bench;
    const seen = async (): Promise<string> => {
      const runner = await forge.runner('mini-01');
      return `${runner?.state}${runner?.busy ? ' busy' : ''}`;
    };
    await registered(bench, 'mini-01');
    assert.equal(await seen(), 'online');
    await takeJob('mini-01');
    assert.equal(await seen(), 'online busy');
    finishJob('mini-01');
    assert.equal(await seen(), 'online');
    disconnect('mini-01');
    assert.equal(await seen(), 'offline');
  });

  test('the support of a runner version ends at the announced time, and an unknown version is undefined', async bench => {
    const { forge, announce, now } = bench;
    // GitHub returns whole seconds.
    const endsAt = Math.floor(now() / 1_000) * 1_000 + 86_400_000;
    announce('2.336.0', endsAt);
    announce('2.338.0', undefined);
    assert.deepEqual(await forge.runnerVersion('2.336.0'), { endsAt });
    assert.deepEqual(await forge.runnerVersion('2.338.0'), { endsAt: undefined });
    assert.equal(await forge.runnerVersion('9.9.9'), undefined);
  });
};
