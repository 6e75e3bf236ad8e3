import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { CataloguedError } from '@minifleet/errors';
import { callNames, everyCall } from './every-call.ts';
import { type ForgeBench, LABELS, type Topic } from './forge-bench.ts';

export const failuresContract: Topic = test => {
  for (const call of callNames) {
    test(`${call} at an unavailable forge is a catalogued error without secrets, and works again later`, async bench => {
      bench.strike(call, 'down');
      await assert.rejects(everyCall[call](bench.forge), error => isUnavailable(error, bench));
      bench.heal();
      await everyCall[call](bench.forge);
    });
  }

  test('a runner registration with a lost answer can be repeated and exists once', async bench => {
    const { forge, start } = bench;
    bench.strike('singleJobRunner', 'lost');
    const wanted = { name: 'pod-1', labels: LABELS };
    await assert.rejects(forge.singleJobRunner(wanted), error => isUnavailable(error, bench));
    const { id, configuration } = await forge.singleJobRunner(wanted);
    assert.deepEqual(
      (await forge.runners()).map(runner => runner.id),
      [id],
    );
    start(configuration);
  });

  test('a runner removal with a lost answer can be repeated', async bench => {
    const { forge } = bench;
    const { id } = await forge.singleJobRunner({ name: 'pod-1', labels: LABELS });
    bench.strike('remove', 'lost');
    // The driver may have repeated it.
    await forge.remove(id).catch((error: unknown) => isUnavailable(error, bench));
    assert.equal(await forge.remove(id), 'absent');
    assert.deepEqual(await forge.runners(), []);
  });
};

function isUnavailable(error: unknown, { secrets, forge }: ForgeBench): true {
  assert.ok(error instanceof CataloguedError, inspect(error));
  assert.equal(error.code, 'FORGE_UNAVAILABLE', error.message);
  assert.ok(error.message.startsWith(forge.name), error.message);
  assert.doesNotMatch(error.message, /\{\w+\}|<html|undefined/i);
  const shown = inspect(error, { depth: 10, showHidden: true });
  for (const secret of secrets()) assert.ok(!shown.includes(secret), 'the error shows a secret');
  return true;
}
