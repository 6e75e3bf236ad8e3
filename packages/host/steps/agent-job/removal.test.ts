import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRemoval } from '../../engine/step.ts';
import { convergeStep, passTime } from '../../testing/index.ts';
import { agentJob } from './agent-job.ts';
import { AGENT_COMMAND, AGENT_LABEL } from './agent-launchd-job.ts';
import { asRoot, roll, runningAgent } from './testing/agent-host.ts';

test('the agent is removed completely and can be installed again', async () => {
  const given = await runningAgent('version 1');
  await roll(given, 'version 2');
  const off = planRemoval({ ...agentJob, removal: agentJob.removal ?? assert.fail() });
  const { before, after } = await passTime(given.clock, convergeStep(given.host, off));
  assert.deepEqual(before.state === 'drift' && before.differences, [
    `launchd still has the job ${AGENT_LABEL}`,
    `the property list of ${AGENT_LABEL} still exists`,
    '/usr/local/lib/tart-kubelet still exists',
    `${AGENT_COMMAND} still exists`,
  ]);
  assert.deepEqual(after, { state: 'current' });
  const asked = given.transport.roundTrips;
  assert.deepEqual((await convergeStep(given.host, off)).notes, []);
  assert.equal(given.transport.roundTrips - asked, 1);
  assert.equal(await asRoot(given, 'pgrep tart-kubelet'), '');
  assert.deepEqual((await roll(given, 'version 2')).after, { state: 'current' });
  assert.deepEqual(given.journal.gaps, []);
});
