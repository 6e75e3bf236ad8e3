import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRemoval, planStep } from '../../engine/step.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { actionsRunner } from './actions-runner.ts';
import { runnerHost, runnerWant, runningHost } from './testing/runner-host.ts';

const step = planStep(actionsRunner, runnerWant());
const off = planRemoval(actionsRunner);

test('lost at any command, it goes on where it stopped', async () => {
  const commands = await killedAtEveryCommand(() => ({ given: runnerHost(), steps: [step] }));
  assert.ok(commands >= 7);
});

test('lost at any command of a move, it goes on where it stopped', async () => {
  const make = () => runningHost(runnerWant({ url: 'https://github.com/elsewhere' }));
  await killedAtEveryCommand(async () => ({ given: await make(), steps: [step] }));
});

test('lost at any command, the removal goes on where it stopped', async () => {
  await killedAtEveryCommand(async () => ({ given: await runningHost(), steps: [off] }));
});
