import assert from 'node:assert/strict';
import { LABELS, type Topic } from './forge-bench.ts';

const wanted = { name: 'pod-1', labels: LABELS };

export const removalContract: Topic = test => {
  test('an idle runner is removed, and absent the second time', async ({ forge, start }) => {
    const { id, configuration } = await forge.singleJobRunner(wanted);
    start(configuration);
    assert.equal(await forge.remove(id), 'removed');
    assert.equal(await forge.runner('pod-1'), undefined);
    assert.equal(await forge.remove(id), 'absent');
  });

  test('a busy runner is not removed and keeps its job', async ({ forge, start, takeJob, finishJob }) => {
    const { id, configuration } = await forge.singleJobRunner(wanted);
    start(configuration);
    await takeJob('pod-1');
    assert.equal(await forge.remove(id), 'busy');
    assert.equal((await forge.runner('pod-1'))?.busy, true);
    finishJob('pod-1');
    assert.equal(await forge.remove(id), 'absent');
  });

  test('only the named runner is removed', async ({ forge }) => {
    const { id } = await forge.singleJobRunner(wanted);
    await forge.singleJobRunner({ ...wanted, name: 'pod-2' });
    await forge.remove(id);
    assert.deepEqual(
      (await forge.runners()).map(({ name }) => name),
      ['pod-2'],
    );
  });
};
