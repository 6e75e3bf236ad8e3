import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { FAULT_WITHOUT_EFFECT } from '../incidents/errors.ts';
import type { FaultTarget } from '../incidents/fault-target.ts';
import { inject } from './inject.ts';

const withoutEffect = FAULT_WITHOUT_EFFECT({ incident: 'I08', host: 'macos-1', output: '' });

/** Injects a fault that takes effect at the n-th attempt, into a host whose repair ends after 20 seconds. */
function injectInto(effectiveAt: number) {
  const clock = fakeClock();
  const attempts: number[] = [];
  const started = clock.now();
  const host = async () => {
    const isRepaired = clock.now() - started >= seconds(20);
    const steps = [{ id: 'agent', state: isRepaired ? 'Done' : 'Pending' }];
    return { status: { plan: { desired: 'p1', applied: 'p1' }, steps, ...(isRepaired ? {} : { job: { id: 'j' } }) } };
  };
  const target = { clock, name: 'macos-1', host, isReady: async () => true } as unknown as FaultTarget;
  const fault = {
    async inject() {
      attempts.push((clock.now() - started) / 1_000);
      if (attempts.length < effectiveAt) throw withoutEffect;
      return { action: 'injected', check: async () => undefined };
    },
  };
  return { clock, attempts, done: inject(target, fault) };
}

test('a fault that a repair undid is injected again after the host is up to date', async () => {
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
