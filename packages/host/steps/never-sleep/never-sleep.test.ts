import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '@minifleet/world/mac';
import { planStep } from '../../engine/step.ts';
import { convergeStep, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { neverSleep, powerSettings } from './never-sleep.ts';

const step = planStep(neverSleep, {});

test('a fresh Mac no longer sleeps or locks after never-sleep', async () => {
  const { host, mac, journal } = testHost();
  const { before, after } = await convergeStep(host, step);
  assert.deepEqual(before, {
    state: 'drift',
    differences: [
      'the Mac sleeps after 1 min, expected never',
      'the display sleeps after 10 min, expected never',
      'the disk sleeps after 10 min, expected never',
      'screen saver idle time is not set, expected 0',
      'screen saver password prompt is not set, expected 0',
      'automatic logout delay is not set, expected 0',
    ],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.match((await execute(mac, 'pmset -g custom')).out, /^ displaysleep +0$/m);
  assert.deepEqual(journal.gaps, []);
});

test('never-sleep: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const { host, transport } = testHost();
  await convergeStep(host, step);
  const trips = transport.roundTrips;
  assert.deepEqual((await convergeStep(host, step)).before, { state: 'current' });
  assert.equal(transport.roundTrips, trips + 1);
});

test('each changed power setting is detected and restored', async () => {
  const changes: Readonly<Record<string, string>> = {
    'pmset -a sleep 15': 'the Mac sleeps after 15 min, expected never',
    'pmset -a disksleep 5': 'the disk sleeps after 5 min, expected never',
    'defaults write /Library/Preferences/com.apple.screensaver idleTime -int 300':
      'screen saver idle time is 300, expected 0',
    'defaults delete /Library/Preferences/com.apple.screensaver askForPassword':
      'screen saver password prompt is not set, expected 0',
    'defaults write /Library/Preferences/.GlobalPreferences com.apple.autologout.AutoLogOutDelay -int 3600':
      'automatic logout delay is 3600, expected 0',
  };
  const { host, mac, root, journal } = testHost();
  await convergeStep(host, step);
  for (const [change, words] of Object.entries(changes)) {
    await execute(mac, change, { user: root });
    const { before, after } = await convergeStep(host, step);
    assert.deepEqual(before, { state: 'drift', differences: [words] });
    assert.deepEqual(after, { state: 'current' });
  }
  assert.deepEqual(journal.gaps, []);
});

test('pmset output is parsed for every power source, and empty output is a difference', async () => {
  const text = [
    'Battery Power:',
    ' Sleep On Power Button 1',
    ' lowpowermode         0',
    ' displaysleep         2',
    'AC Power:',
    ' displaysleep         0',
    ' sleep                1 (sleep prevented by powerd)',
    ' hibernatefile        /var/vm/sleepimage',
  ].join('\n');
  assert.deepEqual(
    [...powerSettings(text)],
    [
      ['lowpowermode', [0]],
      ['displaysleep', [2, 0]],
      ['sleep', [1]],
    ],
  );
  const { host, faults } = testHost();
  faults.add({ kind: 'process', detail: /^\/usr\/bin\/pmset -g/, fault: { type: 'fail', code: 1, message: 'no' } });
  const { after } = await convergeStep(host, step);
  assert.match(JSON.stringify(after), /pmset does not report when the Mac sleeps, expected never/);
});

test('a power setting that cannot be written is an error that names it', async () => {
  const { host, faults } = testHost();
  faults.add({ kind: 'file write', detail: /screensaver/, fault: { type: 'fail', code: 1, message: 'EROFS' } });
  await assert.rejects(convergeStep(host, step), { code: 'HOST_COMMAND_FAILED', message: /com\.apple\.screensaver/ });
});

test('never-sleep: a run killed at any command converges on the next run', async () => {
  await killedAtEveryCommand(() => ({ given: testHost(), steps: [step] }));
});
