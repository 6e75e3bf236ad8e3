import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { Node } from '@minifleet/kube';
import { staysTold } from './stays-told.ts';

const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  type,
  status,
  reason,
  message: 'why',
});
const failing = (reason: string) => [
  condition('HostBootstrapped', 'False', reason),
  condition('Ready', 'False', 'NotReady'),
];
const serving = [condition('HostBootstrapped', 'True', 'HostBootstrapped'), condition('Ready', 'True', 'Ready')];

/** What is seen of a host that shows these, ten seconds apart. */
async function seen(shown: readonly (typeof serving)[], nodeReady: readonly boolean[] = []): Promise<unknown> {
  const clock = fakeClock();
  let at = 0;
  const look = staysTold({
    clock,
    machine: async () => ({ status: { conditions: shown[at] } }) as unknown as ScalewayAppleSiliconMachine,
    node: async () =>
      ({ status: { conditions: [condition('Ready', nodeReady[at] === false ? 'False' : 'True', '')] } }) as Node,
  });
  for (; at < shown.length; at += 1) {
    const found = await look();
    if (found) return { ...found, at };
    await clock.advance(seconds(10));
  }
  return undefined;
}

const failed = failing('StepFailed');
const named = (at: number) => ({ named: 'for 50 s, with the Node Ready: StepFailed: why', at });

test('a failure that is told long enough is seen', async () => {
  assert.deepEqual(await seen([serving, ...Array(6).fill(failed)]), named(6));
  assert.equal(await seen(Array(5).fill(failed)), undefined);
});

test('other words for a moment, or a Node that is busy, are no matter', async () => {
  const other = failing('HostUnreachable');
  assert.deepEqual(await seen([failed, other, failed, failed, other, other, failed]), named(6));
  assert.deepEqual(await seen(Array(7).fill(failed), [true, false, true, true, true, false]), named(6));
});

test('I32 a machine that turns Ready in between is not', async () => {
  await assert.rejects(seen([failed, serving, ...Array(9).fill(failed)]), /turned Ready though nobody mended its host/);
});
