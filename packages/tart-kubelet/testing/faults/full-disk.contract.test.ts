import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { silentLog } from '@minifleet/kube';
import { guestName } from '../../guests/guest-name.ts';
import { isSupervisorOf, killProcesses } from '../../guests/process-table.ts';
import { guestDirectory } from '../../guests/record.ts';
import { exited } from '../../guests/testing/agent-options.ts';
import { makeGuestsBench, running, runs } from '../../guests/testing/guests-bench.ts';
import { ledgerFile, openImageLedger } from '../../images/image-ledger.ts';

import { openCappedFile } from '../../observe/capped-file.ts';
import { type FaultsBench, openFaultsBench, shell } from './faults-bench.ts';
import { mountSmallDisk, processOf } from './small-disk.ts';

const LONG_DEADLINE = { deadline: seconds(40) };

/** Waits for the expected terminal status. Checks that there is no other one, that the process ran once, and that nothing is left. */
async function assertEnd(bench: FaultsBench, end: string): Promise<void> {
  await eventually(
    async () => {
      const state = (await bench.stateOf('job')) ?? '';
      assert.ok(!/^(Failed|Succeeded)/.test(state) || state === end, state);
      return state === end;
    },
    { ...LONG_DEADLINE, what: end },
  );
  await eventually(() => bench.vms().join() === 'golden' && bench.slots.used === 0, LONG_DEADLINE);
  assert.equal(bench.runs(), 1);
}

/** Numbers of free pages. The last one is more than a run of a Pod writes, so no write fails. */
const PAGES = [0, 1, 2, 3, 4, 5, 6, 8];

for (const pages of PAGES) {
  test(`a Pod on a disk with ${pages} free pages waits with a reason and without a slot, or runs, and ends once`, async context => {
    const disk = mountSmallDisk(context);
    const bench = await openFaultsBench(context, { directory: disk.directory });
    await eventually(() => readdirSync(bench.guests.state).includes('guests'));
    disk.fill(pages);
    await bench.create('job', shell('echo words; exit 5'));
    await eventually(async () => {
      const state = (await bench.stateOf('job')) ?? '';
      const waits = /^Pending (CreateContainerError|SupervisorDidNotStart)$/.test(state) && bench.slots.used === 0;
      return waits || state.startsWith('Failed');
    }, LONG_DEADLINE);
    disk.makeRoom();
    await assertEnd(bench, 'Failed 5 Error');
  });
}

test('a disk that fills up while a guest runs loses log lines, tears none, and keeps the exit', async context => {
  const disk = mountSmallDisk(context);
  const bench = await openFaultsBench(context, { directory: disk.directory });
  const gate = join(bench.guests.simulated.home, 'gate');
  const ticks = `i=0; until [ -e ${gate} ]; do i=$((i+1)); echo "tick $i"; sleep 0.01; done`;
  await bench.create('job', shell(`${ticks}; exit 5`));
  const log = (): Promise<string> => bench.logOf('job').catch(() => '');
  // The log first fills the rest of its last page.
  const untilWritesFail = async (): Promise<void> => {
    let before = -1;
    const unchanged = async (): Promise<boolean> => {
      const { length } = await log();
      const same = length === before;
      before = length;
      return same;
    };
    await eventually(unchanged, { ...LONG_DEADLINE, interval: seconds(0.3) });
  };
  await eventually(async () => (await log()).includes('tick'), LONG_DEADLINE);
  disk.fill();
  await untilWritesFail();
  disk.makeRoom();
  const { length } = await log();
  await eventually(async () => (await log()).length > length, LONG_DEADLINE);
  disk.fill();
  await untilWritesFail();
  writeFileSync(gate, '');
  await assertEnd(bench, 'Failed 5 Error');
  const numbers = (await log()).trimEnd().split('\n').map(tickOf);
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => one - other),
  );
  assert.ok((numbers.at(-1) ?? 0) > numbers.length, 'some lines were lost');
});

function tickOf(line: string): number {
  const tick = /^\S+Z stdout F tick (\d+)$/.exec(line)?.[1];
  assert.ok(tick, line);
  return Number(tick);
}

test('an unobserved exit on a full disk is reported by the next agent, and its VM is removed', async context => {
  const disk = mountSmallDisk(context);
  const bench = await makeGuestsBench(context, { directory: disk.directory });
  const spec = bench.spec({
    process: processOf(`until [ -e ${join(bench.simulated.home, 'gate')} ]; do sleep 0.01; done; exit 5`),
  });
  const first = bench.agent();
  await first.start(spec);
  await running(first, spec);
  first.close();
  disk.fill();
  writeFileSync(join(bench.simulated.home, 'gate'), '');
  await eventually(async () => !(await runs(guestName(spec.id))), LONG_DEADLINE);
  const second = bench.agent();
  await second.recover();
  assert.equal((await exited(second, spec)).exitCode, 5);
  await second.remove(spec.id);
  assert.deepEqual(readdirSync(join(bench.simulated.home, 'vms')), ['golden']);
  assert.deepEqual(readdirSync(join(bench.state, 'guests')), []);
});

test('a guest that died with its supervisor on a full disk is reported as unknown and removed', async context => {
  const disk = mountSmallDisk(context);
  const bench = await makeGuestsBench(context, { directory: disk.directory });
  const spec = bench.spec({ process: processOf('exec sleep 600') });
  const first = bench.agent();
  await first.start(spec);
  await running(first, spec);
  first.close();
  disk.fill();
  await killProcesses(isSupervisorOf(guestDirectory(bench.state, spec.id)), systemClock);
  const second = bench.agent();
  await second.recover();
  assert.equal((await exited(second, spec)).reason, 'ContainerStatusUnknown');
  await assert.rejects(second.start(spec), { code: 'GUEST_ALREADY_RAN' });
  // The next agent reports the same if this agent is killed before it reports.
  second.close();
  const third = bench.agent();
  await third.recover();
  assert.equal((await exited(third, spec)).reason, 'ContainerStatusUnknown');
  await third.remove(spec.id);
  assert.deepEqual(readdirSync(join(bench.simulated.home, 'vms')), ['golden']);
});

test('the image ledger on a full disk stays intact and is complete once there is space', async context => {
  const disk = mountSmallDisk(context);
  const file = ledgerFile(join(disk.directory, 'images.json'));
  const ledger = await openImageLedger({ file, clock: systemClock, log: silentLog });
  const pull = async (name: string): Promise<void> => {
    await ledger.intend(`${name}:1`, undefined);
    await ledger.settle(`${name}:1`, { digest: `${name}@sha256:1`, fetched: true });
  };
  const written = async (): Promise<string[]> => {
    const again = await openImageLedger({ file, clock: systemClock, log: silentLog });
    return [...again.owned().keys()];
  };
  await pull('early');
  disk.fill();
  await pull('late');
  assert.deepEqual([...ledger.owned().keys()], ['early@sha256:1', 'late@sha256:1']);
  assert.deepEqual(await written(), ['early@sha256:1']);
  disk.makeRoom();
  await ledger.save();
  assert.deepEqual(await written(), ['early@sha256:1', 'late@sha256:1']);
  assert.deepEqual(readdirSync(disk.directory), ['images.json']);
});

test('the agent’s log on a full disk loses lines, counts them, and tears none', context => {
  const disk = mountSmallDisk(context);
  const path = join(disk.directory, 'agent.log');
  const log = openCappedFile({ path, mostBytes: 64 * 1_024, earlier: 1 });
  context.after(() => log.close());
  const write = (from: number, count: number): void => {
    for (let line = from; line < from + count; line++)
      log.write(`${JSON.stringify({ line, more: 'x'.repeat(line) })}\n`);
  };
  write(0, 10);
  disk.fill();
  write(10, 100);
  assert.ok(log.lost > 0 && log.lost < 100, `${log.lost}`);
  disk.makeRoom();
  write(110, 5);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const numbers = lines.map(line => (JSON.parse(line) as { line: number }).line);
  assert.equal(numbers.length, 115 - log.lost);
  assert.deepEqual(numbers.slice(-5), [110, 111, 112, 113, 114]);
});
