import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOMEBREW_INSTALL_SCRIPT } from '@minifleet/world/testing/mac';
import { planRemoval, planStep } from '../../engine/step.ts';
import { convergeStep, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { artifactOf } from '../actions-runner/testing/artifact.ts';
import { BREW, homebrew, PREFIX } from './homebrew.ts';

const installer = artifactOf('install.sh', HOMEBREW_INSTALL_SCRIPT);
const step = planStep(homebrew, { installer });

test('a fresh Mac gets Homebrew for its user, and the installer is removed', async () => {
  const { host, mac, root, transport, journal } = testHost();
  const { before, after } = await convergeStep(host, step);
  assert.deepEqual(before, { state: 'drift', differences: ['Homebrew is missing'] });
  assert.equal(after.state, 'current');
  assert.equal((await host.query([BREW, 'list'])).exitCode, 0);
  assert.deepEqual(mac.files.list(root, '/var/db/minifleet'), []);
  assert.ok(journal.entries.some(({ detail }) => /as m1: \/usr\/bin\/env NONINTERACTIVE=1/.test(detail)));
  const sent = transport.roundTrips;
  assert.equal((await convergeStep(host, step)).before.state, 'current');
  assert.equal(transport.roundTrips - sent, 1);
  assert.deepEqual(journal.gaps, []);
});

test('without an installer an existing Homebrew is used, and a missing one is an error with both remedies', async () => {
  const without = planStep(homebrew, { installer: undefined });
  const { host, journal } = testHost();
  await assert.rejects(convergeStep(host, without), {
    code: 'HOST_HOMEBREW_INSTALLER_MISSING',
    retry: 'operator',
    message: /install Homebrew on the host as m1 .*, or set builder\.homebrewInstaller/,
  });
  await convergeStep(host, step);
  assert.equal((await convergeStep(host, without)).before.state, 'current');
  assert.deepEqual(journal.gaps, []);
});

test('a half-installed Homebrew is installed again', async () => {
  const { host, mac, root } = testHost();
  await convergeStep(host, step);
  mac.files.remove(root, BREW);
  const { before, after } = await convergeStep(host, step);
  assert.deepEqual(before, { state: 'drift', differences: [`${BREW} does not run`] });
  assert.equal(after.state, 'current');
});

test('Homebrew directories owned by root are repaired without installing', async () => {
  const { host, mac, root } = testHost();
  await convergeStep(host, step);
  const opened = installer.opened;
  mac.files.chown(root, PREFIX, 0, 0);
  const { before, after, notes } = await convergeStep(host, step);
  assert.deepEqual(before.state === 'drift' && before.differences, [
    '/opt/homebrew belongs to root, expected m1 (brew writes only to directories it owns)',
  ]);
  assert.equal(after.state, 'current');
  assert.deepEqual(notes, ['/opt/homebrew changed owner from root to m1']);
  assert.equal(installer.opened, opened);
});

test('a failed Homebrew installer is an error with its output', async () => {
  const { host, faults } = testHost();
  const fault = { type: 'fail', code: 1, message: 'curl: (6) Could not resolve host: github.com' } as const;
  faults.add({ kind: 'process', detail: /homebrew-installer/, fault, times: 1 });
  await assert.rejects(convergeStep(host, step), {
    code: 'HOST_COMMAND_FAILED',
    message: /install-homebrew .* Could not resolve host: github\.com/,
  });
  assert.equal((await convergeStep(host, step)).after.state, 'current');
});

test('an installer other than the pinned one is never run', async () => {
  const { host, mac, root } = testHost();
  const other = { ...artifactOf('install.sh', 'touch /tmp/run'), sha256: installer.sha256 };
  await assert.rejects(convergeStep(host, planStep(homebrew, { installer: other })), {
    code: 'HOST_UPLOAD_INCOMPLETE',
  });
  assert.equal(mac.files.exists(root, '/tmp/run'), false);
});

test('removing the homebrew step keeps Homebrew', async () => {
  const { host } = testHost();
  await convergeStep(host, step);
  assert.equal((await convergeStep(host, planRemoval(homebrew))).before.state, 'current');
  assert.equal((await host.query([BREW, '--version'])).exitCode, 0);
});

test('homebrew: a run whose connection is lost at any command resumes', async () => {
  await killedAtEveryCommand(() => ({ given: testHost(), steps: [step] }));
});
