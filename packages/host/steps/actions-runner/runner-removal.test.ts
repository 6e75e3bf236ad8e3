import assert from 'node:assert/strict';
import { test } from 'node:test';
import { root } from '@minifleet/world/testing/mac';
import { planRemoval, planStep } from '../../engine/step.ts';
import { actionsRunner } from './actions-runner.ts';
import { agentPath, DIRECTORY } from './runner-state.ts';
import { converge, differencesOf, runnerHost, runnerWant, runningHost, takeJob } from './testing/runner-host.ts';

const LABEL = 'actions.runner.acme.mini-01';
const step = planStep(actionsRunner, runnerWant());
const off = planRemoval(actionsRunner);

test('removing the runner leaves a note about GitHub’s entry, and setup restores it', async () => {
  const made = await runningHost();
  const { before, after, notes } = await converge(made, off);
  assert.deepEqual(differencesOf(before), ['/opt/actions-runner still exists', `launch agent ${LABEL} still exists`]);
  assert.equal(after.state, 'current');
  assert.deepEqual(notes, [
    `removed launch agent ${LABEL}`,
    'https://github.com/acme still lists runner mini-01; remove it there',
  ]);
  assert.equal(made.events.at(-1), 'mini-01 offline');
  for (const path of [DIRECTORY, agentPath('m1', LABEL), `/Users/m1/Library/Logs/${LABEL}`])
    assert.equal(made.mac.files.exists(root, path), false, path);
  const sent = made.transport.roundTrips;
  assert.equal((await converge(made, off)).before.state, 'current');
  assert.equal(made.transport.roundTrips - sent, 1);
  assert.equal((await converge(made, step)).after.state, 'current');
  assert.deepEqual(made.journal.gaps, []);
});

test('a host without a runner has nothing to remove', async () => {
  const made = runnerHost({ session: false });
  assert.equal((await converge(made, off)).before.state, 'current');
  assert.deepEqual(made.journal.gaps, []);
});

test('removing a runner with a job disturbs running VMs', async () => {
  const made = await runningHost();
  takeJob(made);
  const finding = await off.inspect(made.host);
  assert.equal(finding.state === 'drift' && finding.disturbs, 'running VMs');
});

test('leftovers of a runner without settings are removed', async () => {
  const made = await runningHost();
  made.mac.files.remove(root, DIRECTORY, { recursive: true });
  const { before, after } = await converge(made, off);
  assert.deepEqual(differencesOf(before), [`launch agent ${LABEL} still exists`]);
  assert.equal(after.state, 'current');
});
