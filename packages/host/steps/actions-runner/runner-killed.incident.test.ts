import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRemoval, planStep } from '../../engine/step.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { actionsRunner } from './actions-runner.ts';
import { runnerHost, runnerWant, runningHost } from './testing/runner-host.ts';

const step = planStep(actionsRunner, runnerWant());
const off = planRemoval(actionsRunner);

test('actions-runner: a run whose connection is lost at any command resumes', async () => {
  const commands = await killedAtEveryCommand(() => ({ given: runnerHost(), steps: [step] }));
  assert.ok(commands >= 7);
});

test('a runner move whose connection is lost at any command resumes', async () => {
  const make = () => runningHost(runnerWant({ url: 'https://github.com/elsewhere' }));
  await killedAtEveryCommand(async () => ({ given: await make(), steps: [step] }));
});

test('a runner removal whose connection is lost at any command resumes', async () => {
  await killedAtEveryCommand(async () => ({ given: await runningHost(), steps: [off] }));
});
