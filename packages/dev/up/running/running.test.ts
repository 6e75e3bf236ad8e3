import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { INCIDENT_UNKNOWN } from '../../break/errors.ts';
import { claimRunning } from './claim-running.ts';
import { type Order, startControlServer } from './control-server.ts';
import { findRunning } from './find-running.ts';
import { giveOrder } from './give-order.ts';
import { forgetRunning, readRunning, writeRunning } from './running-file.ts';

describe('what is up', () => {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'running-'));
  after(() => rmSync(stateDirectory, { recursive: true }));
  const control = join(stateDirectory, 'control');
  const running = { pid: 7, kubeconfig: '/k', tools: '/t', control };

  const linesOf = async (order: string, body?: unknown): Promise<unknown[] | undefined> => {
    const lines = await giveOrder({ running, order, with: body });
    return lines && Array.fromAsync(lines);
  };
  const serving = async (orders: Record<string, Order>, work: () => Promise<void>): Promise<void> => {
    const server = await startControlServer(control, orders);
    try {
      await work();
    } finally {
      await server.close();
    }
  };

  test('is found by other commands while it answers, and forgotten when it was killed', async () => {
    assert.equal(await findRunning({ stateDirectory }), undefined);
    await writeRunning(stateDirectory, running);
    await serving({ standing: async (_, tell) => tell({ ready: false }) }, async () => {
      assert.deepEqual(await findRunning({ stateDirectory }), { ...running, ready: false });
    });
    assert.equal(await findRunning({ stateDirectory }), undefined);
    assert.equal(readRunning(stateDirectory), undefined);
  });

  test('is there once: of two that come up together the later one is refused, and one that was killed is in nobody’s way', async () => {
    const second = { ...running, pid: running.pid + 1, kubeconfig: '/second' };
    await writeRunning(stateDirectory, { ...running, control: join(stateDirectory, 'of-a-killed-one') });
    await serving({ standing: async (_, tell) => tell({ ready: false }) }, async () => {
      const both = await Promise.allSettled([running, second].map(each => claimRunning({ stateDirectory }, each)));
      assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      const refused = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      assert.match(String(refused.reason), /minifleet is up already \(process \d+, .*minifleet down/);
    });
    assert.deepEqual(readdirSync(stateDirectory), ['up.json']);
    forgetRunning(stateDirectory, running);
  });

  test('is there although what was written down before cannot be read', async () => {
    writeFileSync(join(stateDirectory, 'up.json'), '{');
    await claimRunning({ stateDirectory }, running);
    assert.deepEqual(readRunning(stateDirectory), running);
    forgetRunning(stateDirectory, running);
  });

  test('takes an order and tells what comes of it line by line, its failure too, with its code', async () => {
    const orders: Record<string, Order> = {
      async greet(name, tell) {
        tell({ hello: name });
        throw INCIDENT_UNKNOWN({ incident: 'I99' });
      },
    };
    await serving(orders, async () => {
      const failed = `${INCIDENT_UNKNOWN({ incident: 'I99' }).message} (INCIDENT_UNKNOWN)`;
      assert.deepEqual(await linesOf('greet', 'Anna'), [{ hello: 'Anna' }, { failed }]);
      assert.deepEqual(await linesOf('unheard-of'), []);
    });
    assert.equal(await linesOf('greet'), undefined, 'nobody answers any more');
  });

  test('is told when whoever gave the order is gone', async () => {
    const gone = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const stop = new AbortController();
    const wait: Order = (_, tell, signal) => {
      signal.addEventListener('abort', () => gone.resolve(), { once: true });
      tell({});
      begun.resolve();
      return gone.promise;
    };
    await serving({ wait }, async () => {
      const lines = await giveOrder({ running, order: 'wait', signal: stop.signal });
      await begun.promise;
      stop.abort();
      await gone.promise;
      await assert.rejects(Array.fromAsync(lines ?? []), /aborted/);
    });
  });
});
