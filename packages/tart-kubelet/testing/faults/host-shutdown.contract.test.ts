import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { GuestSpec } from '../../guests/guest.ts';
import { isSupervisorOf, listProcesses } from '../../guests/process-table.ts';
import { guestDirectory } from '../../guests/record.ts';
import { exited, type GuestsBench, makeGuestsBench, running } from '../../guests/testing/guests-bench.ts';
import { processOf } from './small-disk.ts';

/** Terminates every process, as launchd does when the Mac shuts down. */
async function askSupervisor(bench: GuestsBench, spec: GuestSpec): Promise<void> {
  const [supervisor] = (await listProcesses()).filter(isSupervisorOf(guestDirectory(bench.state, spec.id)));
  assert.ok(supervisor);
  process.kill(supervisor.pid, 'SIGTERM');
}

const guests: Readonly<Record<string, Partial<GuestSpec>>> = {
  'a process that heeds SIGTERM and ends with 0': {
    process: processOf("trap 'exit 0' TERM; while :; do sleep 0.05; done"),
  },
  'no process of its own, which shuts down in order': {},
};

for (const [what, more] of Object.entries(guests)) {
  test(`a Mac that is shut down under a guest with ${what}: the run has failed, and says why`, async context => {
    const bench = await makeGuestsBench(context);
    const spec = bench.spec(more);
    const first = bench.agent();
    await first.start(spec);
    await running(first, spec);
    first.close();
    await askSupervisor(bench, spec);
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
  const place = (name: string): string => join(bench.simulated.home, name);
  const leaves = `touch ${place('asked')}; until [ -e ${place('gate')} ]; do sleep 0.05; done; exit 3`;
  const spec = bench.spec({
    process: processOf(`trap '${leaves}' TERM; touch ${place('ready')}; while :; do sleep 0.05; done`),
  });
  const agent = bench.agent();
  await agent.start(spec);
  await running(agent, spec);
  // A shell that receives the signal before it has set its trap ends at once.
  await eventually(() => existsSync(place('ready')), { what: 'the process to set its trap' });
  const stopped = agent.stop(spec.id, seconds(20));
  await eventually(() => existsSync(place('asked')), { what: 'the process to be asked' });
  await askSupervisor(bench, spec);
  writeFileSync(place('gate'), '');
  await stopped;
  const { exitCode, reason } = await exited(agent, spec);
  assert.deepEqual([exitCode, reason], [3, 'Error']);
});
