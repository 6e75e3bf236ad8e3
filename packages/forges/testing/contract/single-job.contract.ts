import assert from 'node:assert/strict';
import { Secret } from '@minifleet/secret';
import { LABELS, registered, type Topic } from './forge-bench.ts';

const wanted = { name: 'pod-1', labels: LABELS };

export const singleJobContract: Topic = test => {
  test('a single-job runner is offline until started, runs a job and is gone', async bench => {
    const { forge, start, takeJob, finishJob } = bench;
    const { id, configuration } = await forge.singleJobRunner({ ...wanted, workFolder: '/Users/runner/work' });
    assert.ok(configuration instanceof Secret);
    const fresh = { id, ...wanted, state: 'offline', busy: false, singleJob: true } as const;
    assert.deepEqual(await forge.runner('pod-1'), fresh);
    start(configuration);
    assert.deepEqual(await forge.runner('pod-1'), { ...fresh, state: 'online' });
    await takeJob('pod-1');
    assert.equal((await forge.runner('pod-1'))?.busy, true);
    finishJob('pod-1');
    assert.equal(await forge.runner('pod-1'), undefined);
  });

  test('an abandoned offline runner is replaced, and its configuration is void', async bench => {
    const { forge, start } = bench;
    const left = await forge.singleJobRunner(wanted);
    const made = await forge.singleJobRunner(wanted);
    assert.notEqual(made.id, left.id);
    assert.deepEqual(
      (await forge.runners()).map(({ id }) => id),
      [made.id],
    );
    assert.throws(() => start(left.configuration));
    start(made.configuration);
  });

  for (const state of ['idle', 'busy'] as const) {
    test(`a runner that is online and ${state} keeps its name`, async bench => {
      const { forge, start, takeJob } = bench;
      const { id, configuration } = await forge.singleJobRunner(wanted);
      start(configuration);
      if (state === 'busy') await takeJob('pod-1');
      await assert.rejects(forge.singleJobRunner(wanted), {
        code: 'FORGE_RUNNER_EXISTS',
        message: /runner pod-1 already exists in acme/,
      });
      assert.equal((await forge.runner('pod-1'))?.id, id);
    });
  }

  test('a runner registered by hand keeps its name while online', async bench => {
    await registered(bench, 'pod-1');
    await assert.rejects(bench.forge.singleJobRunner(wanted), { code: 'FORGE_RUNNER_EXISTS' });
    assert.equal((await bench.forge.runner('pod-1'))?.singleJob, false);
  });

  test('a runner can join a group, and an unknown group is an error with the known ones', async ({ forge, group }) => {
    await forge.singleJobRunner({ ...wanted, group });
    await assert.rejects(forge.singleJobRunner({ ...wanted, name: 'pod-2', group: 'nobody’s' }), {
      code: 'FORGE_GROUP_UNKNOWN',
      message: new RegExp(`Default, ${group}`),
    });
    assert.deepEqual(
      (await forge.runners()).map(({ name }) => name),
      ['pod-1'],
    );
  });
};
