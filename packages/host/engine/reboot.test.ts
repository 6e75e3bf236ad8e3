import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fileVaultOf } from '@minifleet/world/testing/mac';
import { HOST_UNREACHABLE } from '../errors.ts';
import { type TestHost, testHost } from '../testing/test-host.ts';
import { readLedger } from './ledger.ts';
import { current, drift, needsReboot, type PlannedStep } from './step.ts';
import { bring, journalLines, states } from './testing/bring.ts';
import { setClockAhead } from './testing/set-clock-ahead.ts';
import { anyStep, fileStep, fileSteps } from './testing/small-steps.ts';

const REBOOT = { allow: 'running VMs', reboot: 'when needed' } as const;

/** Written down at once, in force after the next boot. */
function atBoot({ mac }: TestHost, inForce: () => boolean = () => true): PlannedStep {
  let written = false;
  let force = false;
  mac.onBoot(() => {
    force = written && inForce();
  });
  return anyStep('at-boot', {
    needsReboot: true,
    async inspect() {
      if (force) return current();
      return written ? needsReboot('the allow-list is written down, not in force') : drift('no allow-list');
    },
    async change() {
      written = true;
      return [];
    },
  });
}

const boots = ({ journal }: TestHost): number => journal.entries.filter(({ what }) => what === 'boot').length;

test('a step that needs a reboot gets one if allowed, and is in effect afterwards', async () => {
  const given = testHost();
  // The boot empties it, so it has to be converged again.
  const fleeting = fileStep('fleeting', { path: '/tmp/fleeting', content: 'x\n' });
  const report = await bring(given, [...fileSteps('one'), atBoot(given), fleeting], REBOOT);
  assert.equal(report.outcome, 'converged');
  assert.deepEqual(states(report), { one: 'current', 'at-boot': 'current', fleeting: 'current' });
  assert.deepEqual(journalLines(report).slice(-5), [
    'rebooting',
    'back',
    'changing fleeting',
    'changed fleeting',
    'converged',
  ]);
  assert.equal(report.entries.find(({ kind }) => kind === 'rebooting')?.message, 'required by at-boot');
  assert.equal(boots(given), 2);
  assert.equal((await readLedger(given.host))?.converged, true);
});

test('converge without permission to reboot reports reboot pending with the step', async () => {
  const given = testHost();
  const step = atBoot(given);
  const ways = [
    { allow: 'running VMs', reboot: 'never' },
    { allow: 'new VMs', reboot: 'when needed' },
  ] as const;
  for (const way of ways) {
    const report = await bring(given, [step, ...fileSteps('one')], way);
    assert.equal(report.outcome, 'reboot pending');
    assert.deepEqual(states(report), { 'at-boot': 'needs reboot', one: 'current' });
    assert.equal(report.entries.at(-1)?.message, 'reboot pending: at-boot');
  }
  const ledger = await readLedger(given.host);
  assert.deepEqual([ledger?.converged, ledger?.steps['at-boot']?.state], [false, 'needs reboot']);
  assert.equal((await bring(given, [step, ...fileSteps('one')], REBOOT)).outcome, 'converged');
});

test('a reboot without effect is not repeated by later runs', async () => {
  const given = testHost();
  const step = atBoot(given, () => false);
  const late = fileSteps('late');
  for (const [run, way] of [REBOOT, REBOOT, { allow: 'new VMs', reboot: 'never' } as const].entries()) {
    const report = await bring(given, [step, ...late], way);
    assert.deepEqual([report.error?.code, report.attempts['at-boot']], ['HOST_REBOOT_INEFFECTIVE', run + 1]);
    assert.match(
      report.error?.message ?? '',
      /step at-boot is still not in effect after a reboot \(the allow-list is written down, not in/,
    );
    assert.deepEqual(states(report), { 'at-boot': 'failed', late: 'current' });
    assert.equal(boots(given), 2);
  }
  assert.equal((await readLedger(given.host))?.steps['at-boot']?.rebootedInVain, true);
});

test('an ineffective reboot stays recorded when a later run fails earlier', async () => {
  const given = testHost();
  const step = atBoot(given, () => false);
  await bring(given, [step], REBOOT);
  const broken = anyStep('broken', {
    inspect: async () => drift('broken'),
    change: () => Promise.reject(HOST_UNREACHABLE({ address: 'x', why: 'y' })),
  });
  assert.equal((await bring(given, [broken, step], REBOOT)).error?.code, 'HOST_UNREACHABLE');
  assert.equal((await bring(given, [step], REBOOT)).error?.code, 'HOST_REBOOT_INEFFECTIVE');
  assert.equal(boots(given), 2);
});

test('an ineffective reboot is forgotten once a manual restart took effect', async () => {
  const given = testHost();
  let clockIsRight = false;
  const step = atBoot(given, () => clockIsRight);
  await bring(given, [step], REBOOT);
  clockIsRight = true;
  const rebooted = given.mac.reboot();
  await given.clock.advance(minutes(2));
  await rebooted;
  assert.equal((await bring(given, [step], REBOOT)).outcome, 'converged');
  assert.equal((await readLedger(given.host))?.steps['at-boot']?.rebootedInVain, undefined);
});

test('a host that got work since the reboot was allowed is not rebooted', async () => {
  const given = testHost();
  const step = atBoot(given);
  const busy = await bring(given, [step], { ...REBOOT, mayReboot: async () => false });
  assert.deepEqual([busy.outcome, boots(given)], ['reboot pending', 1]);
  const idle = await bring(given, [step], { ...REBOOT, mayReboot: async () => true });
  assert.deepEqual([idle.outcome, boots(given)], ['converged', 2]);
});

test('a reboot is detected on a host whose clock is a day off', async () => {
  const given = testHost();
  setClockAhead(given.mac, -86_400_000);
  assert.equal((await bring(given, [atBoot(given)], REBOOT)).outcome, 'converged');
});

test('a host that takes minutes to reboot is waited for, and the lease is kept', async () => {
  const given = testHost({ rebootMilliseconds: 400_000 });
  assert.equal((await bring(given, [atBoot(given)], REBOOT)).outcome, 'converged');
});

test('a host that does not come back or never goes down is an error after ten minutes', async () => {
  const gone = testHost({ rebootMilliseconds: 3_600_000 });
  const report = await bring(gone, [atBoot(gone)], REBOOT);
  assert.equal(report.error?.code, 'HOST_DID_NOT_COME_BACK');
  assert.match(
    report.error?.message ?? '',
    /did not come back from a reboot within 10m \(no answer\); restart it from/,
  );
  const deaf = testHost();
  deaf.faults.add({ kind: 'process', detail: /shutdown/, fault: { type: 'drop', when: 'before' } });
  deaf.faults.add({ kind: 'command', detail: /shutdown/, fault: { type: 'fail', code: 0, message: '' } });
  const stays = await bring(deaf, [atBoot(deaf)], REBOOT);
  assert.match(stays.error?.message ?? '', /within 10m \(it did not shut down\)/);
});

test('a Mac with FileVault is not rebooted, because it would stop at the unlock screen', async () => {
  for (const state of ['on', 'encrypting', 'deferred'] as const) {
    const given = testHost();
    fileVaultOf(given.mac).state = state;
    const report = await bring(given, [atBoot(given), ...fileSteps('one')], REBOOT);
    assert.equal(report.error?.code, 'HOST_FILE_VAULT_ON');
    assert.match(report.error?.message ?? '', /is not rebooted.*FileVault is O(n|ff).*run `sudo fdesetup disable`/);
    assert.deepEqual(states(report), { 'at-boot': 'failed', one: 'current' });
    assert.equal(boots(given), 1);
    fileVaultOf(given.mac).state = 'off';
    assert.equal((await bring(given, [atBoot(given)], REBOOT)).outcome, 'converged');
  }
});

test('a reboot command that was lost is sent again', async () => {
  for (const when of ['before', 'after'] as const) {
    const given = testHost();
    given.faults.add({ kind: 'command', detail: /shutdown/, fault: { type: 'drop', when }, times: 1 });
    assert.equal((await bring(given, [atBoot(given)], REBOOT)).outcome, 'converged');
    assert.equal(boots(given), 2);
  }
});

test('a rebooted host gets the settle time of its steps', async () => {
  const given = testHost();
  let changes = 0;
  const session = anyStep('session', {
    settle: { within: seconds(60), every: seconds(2) },
    inspect: async () => (given.mac.uptime > 20_000 ? current() : drift('no session yet')),
    async change() {
      changes += 1;
      return [];
    },
  });
  await given.clock.advance(minutes(1));
  const report = await bring(given, [session, atBoot(given)], REBOOT);
  assert.equal(report.outcome, 'converged');
  assert.equal(changes, 0);
});

test('a host that reboots during a run converges on the next run', async () => {
  const given = testHost();
  const steps = [
    ...fileSteps('one'),
    anyStep('crash', {
      inspect: async host =>
        (await host.readText('/etc/crashed')) === undefined ? drift('has not crashed') : current(),
      async change(host) {
        given.mac.files.write(given.root, '/etc/crashed', '');
        void given.mac.reboot();
        await host.must(['/usr/bin/true']);
        return [];
      },
    }),
    ...fileSteps('two'),
  ];
  const report = await bring(given, steps);
  assert.deepEqual([report.outcome, report.error?.code], ['failed', 'HOST_UNREACHABLE']);
  assert.deepEqual(states(report), { one: 'current', crash: 'failed', two: 'not reached' });
  await given.clock.advance(minutes(3));
  assert.equal((await readLedger(given.host))?.steps['crash']?.state, 'changing');
  const again = await bring(given, steps);
  assert.deepEqual([again.outcome, again.changes], ['converged', 1]);
});
