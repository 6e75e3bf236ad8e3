import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { planRemoval, planStep } from '../../engine/step.ts';
import { convergeStep, passTime } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { agentBinary } from '../agent-binary/agent-binary.ts';
import { agentJob } from './agent-job.ts';
import { agentArtifact, agentHost, agentWant, builderArguments, runningAgent, slotFor } from './testing/agent-host.ts';

const steps = (version: string) => [
  planStep(agentBinary, { artifact: agentArtifact(version) }),
  planStep(agentJob, agentWant(version, { arguments: builderArguments })),
];

test('an agent install killed at any command converges on the next run', async () => {
  const commands = await killedAtEveryCommand(async () => ({ given: agentHost(), steps: steps('version 1') }));
  assert.equal(commands, 8);
});

test('an agent rollout killed at any command converges on the next run', async () => {
  const commands = await killedAtEveryCommand(async () => ({
    given: await runningAgent('version 1'),
    steps: steps('version 2'),
  }));
  assert.equal(commands, 8);
});

test('an agent removal killed at any command converges on the next run', async () => {
  const commands = await killedAtEveryCommand(async () => ({
    given: await runningAgent('version 1'),
    steps: [planRemoval({ ...agentJob, removal: agentJob.removal ?? assert.fail() })],
  }));
  assert.equal(commands, 3);
});

test('a host that reboots during an agent rollout converges', async () => {
  for (let turn = 1; turn <= 12; turn++) {
    const given = await runningAgent('version 1');
    const [binary, job] = steps('version 2');
    if (binary) await convergeStep(given.host, binary);
    if (!job) continue;
    const rolling = convergeStep(given.host, job).catch(() => undefined);
    for (let waited = 0; waited < turn; waited++) await given.clock.advance(seconds(0.1));
    const rebooted = given.mac.reboot();
    await passTime(given.clock, Promise.all([rebooted, rolling]));
    await passTime(given.clock, convergeStep(given.host, job));
    assert.deepEqual(await job.inspect(given.host), { state: 'current' }, `turn ${turn}`);
    assert.equal(given.mac.files.readLink(given.root, '/usr/local/lib/tart-kubelet/previous'), slotFor('version 1'));
  }
});
