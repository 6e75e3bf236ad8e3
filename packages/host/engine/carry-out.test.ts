import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { passTime, testHost } from '../testing/test-host.ts';
import { applyStep } from './apply.ts';
import { current, drift } from './step.ts';
import { bring, journalLines, states } from './testing/bring.ts';
import { anyStep, fileNamed, fileStep, fileSteps } from './testing/small-steps.ts';

test('a step that times out aborts its commands and starts no new ones', async () => {
  const given = testHost();
  const slow = anyStep('slow', {
    timeout: seconds(20),
    inspect: async () => drift('it is slow'),
    async change(host) {
      for (let round = 0; round < 100; round++) {
        await host.run(['/bin/sleep', '15']).catch(() => undefined);
        await host
          .writeFile({ path: '/etc/late', mode: 0o644, owner: 'root:wheel' }, `${round}`)
          .catch(() => undefined);
      }
      return [];
    },
  });
  const report = await bring(given, [slow, ...fileSteps('two')]);
  assert.deepEqual([report.outcome, report.error?.code], ['failed', 'HOST_STEP_TIMED_OUT']);
  assert.match(report.error?.message ?? '', /step slow did not finish within 20s/);
  assert.deepEqual(states(report), { slow: 'failed', two: 'not reached' });
  assert.equal(report.steps[0]?.durationMs, 20_000);
  assert.equal(given.mac.files.read(given.root, '/etc/late').toString(), '0');
  assert.equal(
    given.journal.entries.filter(({ what, detail }) => what === 'command' && /sleep/.test(detail)).length,
    2,
  );
});

test('a settling step is polled alone, then inspected with all later steps', async () => {
  const given = testHost();
  const { path, content } = fileNamed('slow');
  const slow = {
    ...fileStep('slow', { path, content }, { settle: { within: seconds(30), every: seconds(2) } }),
    async change() {
      given.clock.after(seconds(5), () => given.mac.files.write(given.root, path, content));
      return ['asked for it'];
    },
  };
  const report = await bring(given, [slow, ...fileSteps('two')]);
  assert.equal(report.outcome, 'converged');
  assert.deepEqual(journalLines(report), [
    'inspected',
    'changing slow',
    'settling slow',
    'changed slow',
    'changing two',
    'changed two',
    'converged',
  ]);
  assert.equal(report.entries[2]?.message, `waiting for: ${path} is not there`);
  assert.equal(report.entries[3]?.message, 'asked for it');
  assert.equal(report.entries[3]?.durationMs, 6_000);
});

test('a step that does not settle in time is an error with its difference', async () => {
  const given = testHost();
  const never = {
    ...fileStep('never', fileNamed('never'), { settle: { within: seconds(6), every: seconds(2) } }),
    change: async () => [],
  };
  const report = await bring(given, [never]);
  assert.equal(report.error?.code, 'HOST_STEP_DID_NOT_CONVERGE');
  assert.match(report.error?.message ?? '', /\(\/etc\/minifleet-never is not there\)$/);
  assert.equal(report.steps[0]?.durationMs, 6_000);
});

test('the change and the settling of a step share one timeout', async () => {
  const given = testHost();
  const never = {
    ...fileStep('never', fileNamed('never'), { settle: { within: seconds(600), every: seconds(2) } }),
    change: async () => [],
    timeout: seconds(10),
  };
  assert.equal((await bring(given, [never])).error?.code, 'HOST_STEP_TIMED_OUT');
});

test('a step that ignores its abort is ended by its timeout', async () => {
  const { host, clock } = testHost();
  const deaf = anyStep('deaf', { timeout: seconds(5), change: () => new Promise(() => undefined) });
  const look = async () => ({ finding: current() });
  const work = passTime(clock, applyStep(host, deaf, { finding: drift('x'), look }));
  await assert.rejects(work, { code: 'HOST_STEP_TIMED_OUT' });
  assert.equal(clock.pending, 0);
});
