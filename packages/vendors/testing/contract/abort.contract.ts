import assert from 'node:assert/strict';
import { everyCall } from './every-call.ts';
import type { Topic } from './vendor-bench.ts';

export const abortContract: Topic = (test, { sends }) => {
  for (const call of sends) {
    test(`${call} rejects with the reason of its signal`, async bench => {
      const ref = await bench.addServer('one');
      bench.strike(call, 'hang');
      const giveUp = new AbortController();
      const reason = new Error('the caller has something better to do');
      const asking = everyCall[call](bench.vendor, ref, { signal: giveUp.signal });
      setImmediate(() => giveUp.abort(reason));
      await assert.rejects(asking, error => error === reason);
    });
  }

  test('a vendor call with an aborted signal does nothing', async bench => {
    const { vendor, addServer } = bench;
    const ref = await addServer('one');
    const reason = new Error('too late');
    await assert.rejects(vendor.rename(ref, 'mine', { signal: AbortSignal.abort(reason) }), error => error === reason);
    assert.equal((await vendor.server(ref))?.name, 'one');
  });
};
