import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { passTime, type TestHost, testHost } from '../testing/test-host.ts';
import { converge } from './converge.ts';
import { readLedger } from './ledger.ts';
import { createPlan } from './plan.ts';
import type { ConvergeReport } from './report.ts';
import { drift, type PlannedStep } from './step.ts';
import { bring } from './testing/bring.ts';
import { setClockAhead } from './testing/set-clock-ahead.ts';
import { anyStep, fileSteps } from './testing/small-steps.ts';

const call = ({ host, redactor }: TestHost, holder: string, steps: readonly PlannedStep[]): Promise<ConvergeReport> =>
  converge(host, createPlan(steps), { holder, allow: 'nothing', reboot: 'never', redactor });

/** A step that takes its time, and counts how many are at it at once. */
function slowStep(): { readonly step: PlannedStep; readonly most: () => number } {
  let at = 0;
  let most = 0;
  let done = false;
  const step = anyStep('slow', {
    timeout: minutes(10),
    inspect: async () => drift(done ? [] : 'not done yet'),
    async change(host) {
      at += 1;
      most = Math.max(most, at);
      await host.run(['/bin/sleep', '200'], { timeout: minutes(5) });
      at -= 1;
      done = true;
      return [];
    },
  });
  return { step, most: () => most };
}

test('of two callers one converges, the other gets the holder and the retry time', async () => {
  const given = testHost();
  const { step, most } = slowStep();
  const first = call(given, 'ada', [step]);
  await given.clock.advance(seconds(100));
  const second = await passTime(given.clock, call(given, 'bob', [step]));
  assert.deepEqual([second.outcome, second.error?.code, second.changes], ['failed', 'HOST_BUSY', 0]);
  assert.match(second.error?.message ?? '', /^m1@mini-01: ada is already changing/);
  assert.equal(second.nextAttempt, given.clock.now() + seconds(30));
  assert.equal(second.steps[0]?.state, 'drift');
  assert.equal((await passTime(given.clock, first)).outcome, 'converged');
  assert.equal((await passTime(given.clock, call(given, 'bob', [step]))).outcome, 'converged');
  assert.equal(most(), 1);
});

test('of two callers in the same moment exactly one continues', async () => {
  const given = testHost();
  const reports = await passTime(
    given.clock,
    Promise.all(['ada', 'bob', 'cyd'].map(holder => call(given, holder, fileSteps('one', 'two')))),
  );
  assert.deepEqual(reports.map(({ outcome }) => outcome).sort(), ['converged', 'failed', 'failed']);
  assert.equal((await bring(given, fileSteps('one', 'two'))).changes, 0);
});

test('a caller whose lease was taken over stops and does not write the ledger', async () => {
  const given = testHost();
  const { step } = slowStep();
  const first = call(given, 'ada', [step, ...fileSteps('two')]);
  await given.clock.advance(seconds(5));
  given.mac.files.link(given.root, 'another-token bob', '/var/db/minifleet/lease.9');
  const before = given.clock.now();
  const report = await passTime(given.clock, first);
  assert.deepEqual([report.outcome, report.error?.code], ['failed', 'HOST_LEASE_LOST']);
  assert.ok(given.clock.now() - before <= 30_000);
  assert.equal(given.mac.files.exists(given.root, '/etc/minifleet-two'), false);
  assert.equal((await readLedger(given.host))?.steps['slow']?.state, 'changing');
  assert.deepEqual(report.attempts, { '(host)': 1 });
});

for (const ahead of [86_400_000, -86_400_000])
  test(`a host whose clock is off by ${ahead / 3_600_000} hours converges, with the caller’s time in the ledger`, async () => {
    const given = testHost();
    setClockAhead(given.mac, ahead);
    const { step } = slowStep();
    const first = call(given, 'ada', [step]);
    await given.clock.advance(seconds(150));
    assert.equal((await call(given, 'bob', [step])).error?.code, 'HOST_BUSY');
    assert.equal((await passTime(given.clock, first)).outcome, 'converged');
    const ledger = await readLedger(given.host);
    assert.ok(Math.abs(Date.parse(ledger?.at ?? '') - given.clock.now()) < 5_000);
  });
