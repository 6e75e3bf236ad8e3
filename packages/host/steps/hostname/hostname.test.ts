import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '@minifleet/world/mac';
import { planStep } from '../../engine/step.ts';
import { convergeStep, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { hostname } from './hostname.ts';

const step = planStep(hostname, { name: 'runner-07' });

test('a fresh Mac gets its name in all three settings', async () => {
  const { host, mac, journal } = testHost();
  const { before, after } = await convergeStep(host, step);
  assert.deepEqual(before, {
    state: 'drift',
    differences: [
      'HostName is not set, expected runner-07',
      'LocalHostName is mini-01, expected runner-07',
      'ComputerName is mini-01, expected runner-07',
    ],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.equal((await execute(mac, 'hostname')).out, 'runner-07\n');
  assert.deepEqual(journal.gaps, []);
});

test('a converged host name is unchanged, and a drifted one is restored', async () => {
  const { host, mac, root, transport } = testHost();
  await convergeStep(host, step);
  const trips = transport.roundTrips;
  assert.deepEqual((await convergeStep(host, step)).before, { state: 'current' });
  assert.equal(transport.roundTrips, trips + 1);
  await execute(mac, 'scutil --set LocalHostName runner-07-2', { user: root });
  const { before, after } = await convergeStep(host, step);
  assert.deepEqual(before, { state: 'drift', differences: ['LocalHostName is runner-07-2, expected runner-07'] });
  assert.deepEqual(after, { state: 'current' });
});

test('an invalid host name is rejected before anything is changed', async () => {
  const { host, mac } = testHost();
  for (const name of ['', '-a', 'a-', 'A', 'a_b', 'a.b', 'a b', 'ä', "a'; reboot", `${'a'.repeat(64)}`, 'a\n'])
    await assert.rejects(convergeStep(host, planStep(hostname, { name })), {
      code: 'HOST_NAME_INVALID',
      retry: 'untilSpecChanges',
    });
  assert.equal((await execute(mac, 'scutil --get ComputerName; hostname')).out, 'mini-01\nmini-01.local\n');
  for (const name of ['a', '0', 'a-1', 'a'.repeat(63)])
    assert.deepEqual((await convergeStep(host, planStep(hostname, { name }))).after, { state: 'current' });
});

test('a host name that macOS rejects is an error with its message', async () => {
  const { host, faults } = testHost();
  faults.add({
    kind: 'process',
    detail: /^scutil --set L/,
    fault: { type: 'fail', code: 1, message: 'SCPreferences' },
  });
  await assert.rejects(convergeStep(host, step), { code: 'HOST_COMMAND_FAILED', message: /hostname.*SCPreferences/ });
});

test('hostname: a run killed at any command converges on the next run', async () => {
  await killedAtEveryCommand(() => ({ given: testHost(), steps: [step] }));
});
