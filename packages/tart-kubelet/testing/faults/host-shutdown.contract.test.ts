import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { GuestSpec } from '../../guests/guest.ts';
import { isSupervisorOf, listProcesses } from '../../guests/process-table.ts';
import { guestDirectory } from '../../guests/record.ts';
import { exited } from '../../guests/testing/agent-options.ts';
import { type GuestsBench, makeGuestsBench, running } from '../../guests/testing/guests-bench.ts';
import { processOf } from './small-disk.ts';

/** Sends SIGTERM to the supervisor, as launchd does when the Mac shuts down. */
async function terminateSupervisor(bench: GuestsBench, spec: GuestSpec): Promise<void> {
  const [supervisor] = (await listProcesses()).filter(isSupervisorOf(guestDirectory(bench.state, spec.id)));
  assert.ok(supervisor);
  process.kill(supervisor.pid, 'SIGTERM');
}

const guests: Readonly<Record<string, Partial<GuestSpec>>> = {
  'a process that exits with 0 on SIGTERM': {
    process: processOf("trap 'exit 0' TERM; while :; do sleep 0.05; done"),
  },
  'no process, which shuts down cleanly': {},
};

for (const [what, more] of Object.entries(guests)) {
  test(`a host shutdown fails the run of a guest with ${what} with reason NodeShutdown`, async context => {
    const bench = await makeGuestsBench(context);
    const spec = bench.spec(more);
    const first = bench.agent();
    await first.start(spec);
    await running(first, spec);
    first.close();
    await terminateSupervisor(bench, spec);
    const gone = async (): Promise<boolean> =>
      !(await listProcesses()).some(isSupervisorOf(guestDirectory(bench.state, spec.id)));
    await eventually(gone, { what: 'the supervisor to end' });
    const second = bench.agent({ bootId: 'the next boot' });
    await second.recover();
    const { exitCode, reason, message } = await exited(second, spec);
    assert.deepEqual(
      { exitCode, reason, message },
      {
        exitCode: 143,
        reason: 'NodeShutdown',
        message: 'the guest was stopped because the node is shutting down',
      },
    );
  });
}

test('a guest that was already being stopped at a host shutdown keeps its own exit', async context => {
  const bench = await makeGuestsBench(context);
  const file = (name: string): string => join(bench.simulated.home, name);
  const onTerm = `touch ${file('terminating')}; until [ -e ${file('gate')} ]; do sleep 0.05; done; exit 3`;
  const spec = bench.spec({
    process: processOf(`trap '${onTerm}' TERM; touch ${file('ready')}; while :; do sleep 0.05; done`),
  });
  const agent = bench.agent();
  await agent.start(spec);
  await running(agent, spec);
  // A shell that receives the signal before it has set its trap ends at once.
  await eventually(() => existsSync(file('ready')), { what: 'the process to set its trap' });
  const stopped = agent.stop(spec.id, seconds(20));
  await eventually(() => existsSync(file('terminating')), { what: 'the process to receive SIGTERM' });
  await terminateSupervisor(bench, spec);
  writeFileSync(file('gate'), '');
  await stopped;
  const { exitCode, reason } = await exited(agent, spec);
  assert.deepEqual([exitCode, reason], [3, 'Error']);
});
