import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { minutes, seconds } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { HOST_COMMAND_FAILED, HOST_SUDO_NEEDED } from '../errors.ts';
import { testHost } from '../testing/test-host.ts';
import { LEDGER_PATH, readLedger } from './ledger.ts';
import { WHOLE_HOST } from './report.ts';
import { current, drift } from './step.ts';
import { bring, journalLines, states } from './testing/bring.ts';
import { anyStep, fileStep, fileSteps } from './testing/small-steps.ts';

test('an unreachable host gives a report with a growing retry delay', async () => {
  const given = testHost();
  given.mac.shutDown();
  const first = await bring(given, fileSteps('one'));
  assert.deepEqual([first.outcome, first.error?.code], ['failed', 'HOST_UNREACHABLE']);
  assert.deepEqual(states(first), { one: 'not reached' });
  assert.equal(first.nextAttempt, given.clock.now() + seconds(30));
  const second = await bring(given, fileSteps('one'), { attempts: first.attempts });
  assert.deepEqual(second.attempts, { [WHOLE_HOST]: 2 });
  assert.equal(second.nextAttempt, given.clock.now() + minutes(1));
});

test('failed attempts of a step are counted on the host across callers, and a success resets them', async () => {
  const given = testHost();
  let broken = true;
  const step = anyStep('moody', { inspect: async () => (broken ? drift('it is moody') : current()) });
  const reports = [
    await bring(given, [step]),
    await bring(given, [step]),
    await bring(given, [step], { attempts: { moody: 7 } }),
  ];
  assert.deepEqual(
    reports.map(({ attempts }) => attempts['moody']),
    [1, 2, 8],
  );
  assert.equal(reports[2]?.nextAttempt, given.clock.now() + minutes(10));
  assert.equal(reports[2]?.entries.at(-1)?.attempt, 8);
  // Another wanted value is another beginning.
  assert.equal((await bring(given, [{ ...step, identity: 'something else' }])).attempts['moody'], 1);
  broken = false;
  assert.deepEqual((await bring(given, [step])).attempts, {});
  assert.equal((await readLedger(given.host))?.steps['moody']?.attempts, 0);
});

test('an error that needs an operator has no next attempt', async () => {
  const given = testHost();
  const step = anyStep('closed', { inspect: async () => Promise.reject(HOST_SUDO_NEEDED({ address: 'a host' })) });
  const report = await bring(given, [step]);
  assert.equal(report.error?.retry, 'operator');
  assert.equal(report.nextAttempt, undefined);
  assert.deepEqual(journalLines(report), ['inspected', 'failed closed']);
});

test('converge without sudo has no lease and no ledger, but runs the sudo step', async () => {
  const given = testHost({ passwordlessSudo: false });
  const opening = anyStep('opening', {
    inspect: async host => {
      const { exitCode } = await host.query(['sudo', '-n', '/usr/bin/true']).catch(() => ({ exitCode: 1 }));
      return exitCode === 0 ? current() : drift('sudo asks for a password');
    },
    async change() {
      given.mac.files.write(given.root, '/etc/sudoers.d/m1', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
      return [];
    },
  });
  const report = await bring(given, [opening, ...fileSteps('one')]);
  assert.equal(report.outcome, 'converged');
  assert.equal((await readLedger(given.host))?.converged, true);
  const closed = testHost({ passwordlessSudo: false });
  const failed = await bring(closed, fileSteps('one'));
  assert.deepEqual([failed.outcome, failed.error?.code], ['failed', 'HOST_SUDO_NEEDED']);
});

test('a damaged ledger is replaced, with a note', async () => {
  const given = testHost();
  await bring(given, fileSteps('one'));
  for (const damage of ['{"version":1,"plan":"x"', '[]', '', '{"version":2}', '{"version":1,"steps":{"one":7}}']) {
    given.mac.files.write(given.root, LEDGER_PATH, damage);
    const report = await bring(given, fileSteps('one'));
    assert.deepEqual([report.outcome, report.changes], ['converged', 0]);
    assert.deepEqual(report.notes, ['the ledger was unreadable and is written again; its attempt counts are lost']);
    assert.equal((await readLedger(given.host))?.converged, true);
  }
});

test('on a full disk the step error is reported, the lease works, and no stale ledger remains', async () => {
  const given = testHost();
  await bring(given, fileSteps('one'));
  given.mac.files.reserve(given.mac.files.space.free);
  const steps = [...fileSteps('one'), fileStep('two', { path: '/etc/two', content: 'much\n'.repeat(10_000) })];
  const report = await bring(given, steps);
  assert.deepEqual([report.outcome, report.error?.code], ['failed', 'HOST_DISK_FULL']);
  assert.deepEqual(states(report), { one: 'current', two: 'failed' });
  assert.match(report.notes.join(), /the ledger could not be written \(.*No space left on device/);
  assert.equal(await readLedger(given.host), undefined);
  assert.equal(report.nextAttempt, given.clock.now() + minutes(5));
  given.mac.files.reserve(-1_000_000);
  assert.equal((await bring(given, steps)).outcome, 'converged');
});

test('no secret leaves in an error, a stack, a cause, a note, the journal or the ledger', async () => {
  const given = testHost();
  const secret = new Secret('the password', 'canary-7f3a9');
  const leaky = anyStep('leaky', {
    want: { password: secret },
    inspect: async () => drift('it holds canary-7f3a9'),
    async change() {
      const cause = new Error('told canary-7f3a9', { cause: { deep: ['canary-7f3a9'] } });
      throw HOST_COMMAND_FAILED({ command: 'x', address: 'y', status: 'z', output: 'canary-7f3a9' }, { cause });
    },
  });
  const report = await bring(given, [leaky], { holder: 'who knows canary-7f3a9' });
  const seen = [
    inspect(report, { depth: 20 }),
    JSON.stringify(report),
    report.error?.stack,
    given.mac.files.read(given.root, LEDGER_PATH).toString(),
    JSON.stringify(given.journal.entries),
  ];
  assert.equal(report.error?.code, 'HOST_COMMAND_FAILED');
  assert.match(inspect(report.error?.cause), /told \[the password\]/);
  for (const text of seen) assert.doesNotMatch(text ?? '', /canary/);
});

test('an internal error is thrown without secrets, and the lease is released', async () => {
  const given = testHost();
  const secret = new Secret('the password', 'canary-7f3a9');
  const faults = [
    anyStep('faulty', { want: secret, inspect: () => Promise.reject(new TypeError('canary-7f3a9 is not a function')) }),
    anyStep('faulty', {
      want: secret,
      inspect: async () => drift('differs'),
      change: () => Promise.reject(new TypeError('canary-7f3a9 is not a function')),
    }),
  ];
  for (const step of faults) {
    await assert.rejects(bring(given, [step]), { name: 'TypeError', message: '[the password] is not a function' });
    assert.equal((await bring(given, fileSteps('one'))).outcome, 'converged');
  }
});
