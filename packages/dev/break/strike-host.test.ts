import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds, timestamp } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { STRIKE_IN_VAIN } from './errors.ts';
import type { Stage } from './stage.ts';
import { strikeHost } from './strike-host.ts';

const inVain = STRIKE_IN_VAIN({ incident: 'I08', host: 'macos-1', said: '' });

/** A host that is looked at every twenty seconds, and a strike that hurts the n-th time. */
function scene(hurtsAt: number) {
  const clock = fakeClock();
  const strikes: number[] = [];
  const began = clock.now();
  const machine = async () => {
    const looks = Math.floor((clock.now() - began) / seconds(20));
    return { status: { plan: { appliedTime: timestamp(began + looks * seconds(20)) } } };
  };
  const stage = { clock, name: 'macos-1', machine, isWell: async () => true } as unknown as Stage;
  const breakage = {
    async strike() {
      strikes.push((clock.now() - began) / 1_000);
      if (strikes.length < hurtsAt) throw inVain;
      return { did: 'hurt it', look: async () => undefined };
    },
  };
  return { clock, strikes, done: strikeHost(stage, breakage) };
}

test('what a repair undid before it hurt is done once more, when the host was seen as wanted again', async () => {
  const { clock, strikes, done } = scene(2);
  await clock.advance(seconds(30));
  assert.equal((await done).did, 'hurt it');
  assert.deepEqual(strikes, [0, 20]);
});

test('what does not hurt twice is said to be in vain', async () => {
  const { clock, strikes, done } = scene(3);
  const failure = assert.rejects(done, { code: 'STRIKE_IN_VAIN' });
  await clock.advance(seconds(30));
  await failure;
  assert.equal(strikes.length, 2);
});
