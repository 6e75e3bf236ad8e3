import assert from 'node:assert/strict';
import { test } from 'node:test';
import { root, runnerArchive, scriptText, tarball } from '@minifleet/world/testing/mac';
import { drift, planStep } from '../../engine/step.ts';
import { passTime } from '../../testing/index.ts';
import { actionsRunner } from './actions-runner.ts';
import { DIRECTORY, logPath } from './runner-state.ts';
import { artifactOf } from './testing/artifact.ts';
import {
  archiveOf,
  converge,
  differencesOf,
  type RunnerHost,
  runnerHost,
  runnerWant,
  runningHost,
  takeJob,
} from './testing/runner-host.ts';

const step = planStep(actionsRunner, runnerWant());
const newer = runnerWant({ version: '2.331.0', archive: archiveOf('2.331.0'), token: undefined });
const newerStep = planStep(actionsRunner, newer);

const log = (made: RunnerHost): string =>
  made.mac.files.read(root, logPath('m1', 'actions.runner.acme.mini-01')).toString();

test('another runner version is installed with the same registration', async () => {
  const made = await runningHost();
  const registration = made.mac.files.read(root, `${DIRECTORY}/.runner`).toString();
  const { before, after } = await converge(made, newerStep);
  assert.deepEqual(differencesOf(before), ['the runner is 2.330.0, expected 2.331.0']);
  assert.equal(after.state, 'current');
  assert.equal(made.mac.files.read(root, `${DIRECTORY}/.runner`).toString(), registration);
  assert.match(log(made), /Current runner version: '2\.331\.0'\n[^\n]*Listening for Jobs\n$/);
  assert.deepEqual(made.mac.files.list(root, '/opt'), ['actions-runner']);
});

test('a running job is not interrupted: the drift disturbs running VMs and waits', async () => {
  const made = await runningHost();
  const over = takeJob(made);
  assert.equal((await step.inspect(made.host)).state, 'current');
  const finding = await newerStep.inspect(made.host);
  assert.deepEqual(finding, {
    state: 'drift',
    differences: ['the runner is 2.330.0, expected 2.331.0'],
    disturbs: 'running VMs',
  });
  over();
  assert.equal((await converge(made, newerStep)).after.state, 'current');
});

test('a job that started after the inspection is not interrupted', async () => {
  const made = await runningHost();
  const over = takeJob(made);
  const unaware = drift('the runner is 2.330.0, expected 2.331.0', 'nothing');
  await assert.rejects(newerStep.change(made.host, unaware), { code: 'HOST_RUNNER_BUSY' });
  assert.deepEqual(made.events, ['mini-01 online in aqua']);
  over();
  assert.equal((await converge(made, newerStep)).after.state, 'current');
});

test('a running job is interrupted if the caller allows it', async () => {
  const made = await runningHost();
  takeJob(made);
  await passTime(made.clock, newerStep.change(made.host, await newerStep.inspect(made.host)));
  assert.match(log(made), /pid: \d+\nStarted running service\n/);
  assert.equal(made.events.includes('mini-01 offline'), true);
});

test('a runner from another archive of the same version is replaced', async () => {
  const made = await runningHost();
  const files = { ...runnerArchive(), 'bin/extra': 'different\n' };
  const archive = artifactOf('actions-runner-osx-arm64-2.330.0.tar.gz', tarball(files));
  const { before, after } = await converge(made, planStep(actionsRunner, runnerWant({ archive })));
  assert.deepEqual(differencesOf(before), ['the runner 2.330.0 was not unpacked from the pinned archive']);
  assert.equal(after.state, 'current');
  assert.ok(made.mac.files.exists(root, `${DIRECTORY}/bin/extra`));
});

test('a foreign runner keeps its registration; a self-updating one may be newer, not older', async () => {
  const made = await runningHost();
  const { files } = made.mac;
  files.remove(root, `${DIRECTORY}/.archive`);
  files.remove(root, `${DIRECTORY}/.registration`);
  const text = files.read(root, `${DIRECTORY}/.runner`).toString();
  files.write(root, `${DIRECTORY}/.runner`, text.replace('"disableUpdate": true,', ''));
  assert.deepEqual(differencesOf(await step.inspect(made.host)), [
    'the runner version in /opt/actions-runner is not recorded, expected 2.330.0',
  ]);
  files.rename(root, `${DIRECTORY}/bin`, `${DIRECTORY}/bin.2.331.0`);
  files.link(root, `${DIRECTORY}/bin.2.331.0`, `${DIRECTORY}/bin`);
  assert.equal((await step.inspect(made.host)).state, 'current');
  const wish = runnerWant({ version: '2.340.0', archive: archiveOf('2.340.0'), token: undefined });
  const { before, after } = await converge(made, planStep(actionsRunner, wish));
  assert.deepEqual(differencesOf(before), ['the runner is 2.331.0, expected 2.340.0']);
  assert.equal(after.state, 'current');
  assert.equal(made.registered.length, 1);
  assert.equal(files.exists(root, `${DIRECTORY}/bin.2.331.0`), false);
});

test('an archive without a runner changes nothing and is an error', async () => {
  const made = await runningHost();
  for (const content of [Buffer.from('no archive'), tarball({ 'readme.txt': 'hello\n' })]) {
    const wish = { ...newer, archive: artifactOf('wrong.tar.gz', content) };
    await assert.rejects(converge(made, planStep(actionsRunner, wish)), {
      code: 'HOST_RUNNER_ARCHIVE_UNUSABLE',
      message: /wrong\.tar\.gz contains no runner/,
    });
  }
  assert.equal((await step.inspect(made.host)).state, 'current');
  assert.equal(made.mac.files.read(root, `${DIRECTORY}/config.sh`).toString(), scriptText('config.sh'));
});

test('an incomplete archive or a full disk leaves the runner unchanged', async () => {
  const made = await runningHost();
  const broken = { ...archiveOf('2.331.0'), sha256: '0'.repeat(64) };
  await assert.rejects(converge(made, planStep(actionsRunner, { ...newer, archive: broken })), {
    code: 'HOST_UPLOAD_INCOMPLETE',
  });
  const { free } = made.mac.files.space;
  made.mac.files.reserve(free);
  await assert.rejects(converge(made, newerStep), { code: 'HOST_DISK_FULL' });
  made.mac.files.reserve(-free);
  assert.equal((await step.inspect(made.host)).state, 'current');
});

test('a runner archive uploaded by an interrupted run is not sent again', async () => {
  const made = runnerHost();
  const archive = archiveOf();
  const wish = planStep(actionsRunner, runnerWant({ archive }));
  made.faults.add({
    kind: 'process',
    detail: /^tar -xzf/,
    fault: { type: 'fail', code: 1, message: 'killed' },
    times: 1,
  });
  await assert.rejects(converge(made, wish), { code: 'HOST_RUNNER_ARCHIVE_UNUSABLE' });
  assert.equal((await converge(made, wish)).after.state, 'current');
  assert.equal(archive.opened, 1);
});
