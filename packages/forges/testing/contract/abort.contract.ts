import assert from 'node:assert/strict';
import { callNames, everyCall } from './every-call.ts';
import { LABELS, type Topic } from './forge-bench.ts';

export const abortContract: Topic = test => {
  for (const call of callNames) {
    test(`${call} rejects with the reason of its signal`, async bench => {
      bench.strike(call, 'hang');
      const giveUp = new AbortController();
      const reason = new Error('the caller has something better to do');
      const asking = everyCall[call](bench.forge, { signal: giveUp.signal });
      setImmediate(() => giveUp.abort(reason));
      await assert.rejects(asking, error => error === reason);
    });
  }

  test('a forge call with an aborted signal does nothing', async ({ forge }) => {
    const reason = new Error('too late');
    const signal = AbortSignal.abort(reason);
    await assert.rejects(
      forge.singleJobRunner({ name: 'pod-1', labels: LABELS }, { signal }),
      error => error === reason,
    );
    assert.deepEqual(await forge.runners(), []);
  });
};
