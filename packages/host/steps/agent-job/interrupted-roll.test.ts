import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { unwanted, wanted } from '../../engine/step.ts';
import { convergeStep, passTime } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { agentBinary } from '../agent-binary/agent-binary.ts';
import { agentJob } from './agent-job.ts';
import { AGENT_COMMAND, AGENT_LABEL } from './agent-want.ts';
import {
  agentArtifact,
  agentHost,
  agentWant,
  asRoot,
  builderArguments,
  roll,
  runningAgent,
  slotFor,
} from './testing/agent-host.ts';

const steps = (version: string) => [
  wanted(agentBinary, { artifact: agentArtifact(version) }),
  wanted(agentJob, agentWant(version, { arguments: builderArguments })),
];

test('killed at any command of a first install, the next run ends as wanted', async () => {
  const commands = await killedAtEveryCommand(async () => ({ given: agentHost(), steps: steps('version 1') }));
  assert.equal(commands, 8);
});

test('killed at any command of a roll, the next run ends as wanted', async () => {
  const commands = await killedAtEveryCommand(async () => ({
    given: await runningAgent('version 1'),
    steps: steps('version 2'),
  }));
  assert.equal(commands, 8);
});

test('a host that reboots in the middle of a roll ends as wanted', async () => {
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

test('killed between switch and proof, a version that does not run is still taken back', async () => {
  const given = await runningAgent('version 1');
  // The sending, the look, the roll; then the connection is lost for good.
  const rolling = roll(given, 'exits with 7');
  await given.clock.advance(seconds(3));
  given.faults.add({ kind: 'command', fault: { type: 'drop', when: 'before' } });
  await assert.rejects(rolling, { code: 'HOST_CONNECTION_LOST' });
  given.faults.clear();
  assert.equal(given.mac.files.readLink(given.root, '/usr/local/lib/tart-kubelet/current'), slotFor('exits with 7'));
  await assert.rejects(roll(given, 'exits with 7'), new RegExp(`rolled back to ${slotFor('version 1')}, which runs`));
});

test('the agent is taken off whole, and comes back', async () => {
  const given = await runningAgent('version 1');
  await roll(given, 'version 2');
  const off = unwanted({ ...agentJob, removal: agentJob.removal ?? assert.fail() });
  const { before, after } = await passTime(given.clock, convergeStep(given.host, off));
  assert.deepEqual(before.state === 'drift' && before.differences, [
    `launchd still runs ${AGENT_LABEL}, wanted none`,
    `the property list of ${AGENT_LABEL} is still there`,
    '/usr/local/lib/tart-kubelet is still there',
    `${AGENT_COMMAND} is still there`,
  ]);
  assert.deepEqual(after, { state: 'current' });
  const asked = given.transport.roundTrips;
  assert.deepEqual((await convergeStep(given.host, off)).notes, []);
  assert.equal(given.transport.roundTrips - asked, 1);
  assert.equal(await asRoot(given, 'pgrep tart-kubelet'), '');
  assert.deepEqual((await roll(given, 'version 2')).after, { state: 'current' });
  assert.deepEqual(given.journal.gaps, []);
});

test('killed at any command of taking it off, the next run ends as wanted', async () => {
  const commands = await killedAtEveryCommand(async () => ({
    given: await runningAgent('version 1'),
    steps: [unwanted({ ...agentJob, removal: agentJob.removal ?? assert.fail() })],
  }));
  assert.equal(commands, 3);
});
