import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds, timestamp } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { FAULT_WITHOUT_EFFECT } from '../incidents/errors.ts';
import type { FaultTarget } from '../incidents/fault-target.ts';
import { inject } from './inject.ts';

const withoutEffect = FAULT_WITHOUT_EFFECT({ incident: 'I08', host: 'macos-1', output: '' });

/** Injects a fault that takes effect at the n-th attempt, into a host that is inspected every 20 seconds. */
function injectInto(effectiveAt: number) {
  const clock = fakeClock();
  const attempts: number[] = [];
  const started = clock.now();
  const machine = async () => {
    const inspections = Math.floor((clock.now() - started) / seconds(20));
    return { status: { plan: { appliedTime: timestamp(started + inspections * seconds(20)) } } };
  };
  const target = { clock, name: 'macos-1', machine, isReady: async () => true } as unknown as FaultTarget;
  const fault = {
    async inject() {
      attempts.push((clock.now() - started) / 1_000);
      if (attempts.length < effectiveAt) throw withoutEffect;
      return { action: 'injected', check: async () => undefined };
    },
  };
  return { clock, attempts, done: inject(target, fault) };
}

test('a fault that a repair undid is injected again after the host is found up to date', async () => {
  const { clock, attempts, done } = injectInto(2);
  await clock.advance(seconds(30));
  assert.equal((await done).action, 'injected');
  assert.deepEqual(attempts, [0, 20]);
});

test('a fault without effect at the second attempt fails', async () => {
  const { clock, attempts, done } = injectInto(3);
  const failure = assert.rejects(done, { code: 'FAULT_WITHOUT_EFFECT' });
  await clock.advance(seconds(30));
  await failure;
  assert.equal(attempts.length, 2);
});
