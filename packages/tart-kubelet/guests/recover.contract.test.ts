import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Clock, milliseconds, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Log, silentLog } from '@minifleet/kube';
import type { GuestProcess } from './guest.ts';
import { guestName } from './guest-name.ts';
import { isSupervisorOf, killProcesses, listProcesses } from './process-table.ts';
import { guestDirectory, writeRecord } from './record.ts';
import { exited } from './testing/agent-options.ts';
import { makeGuestsBench, running, runs } from './testing/guests-bench.ts';

const shell = (script: string): GuestProcess => ({
  argv: ['/bin/sh', '-c', script],
  environmentFile: undefined,
  workingDirectory: undefined,
});

/** Waits a twentieth of the time. */
const hasty: Clock = {
  ...systemClock,
  after: (span, then) => systemClock.after(milliseconds(span / 20), then),
};

/** A log that keeps what it was logged. */
function keepingLog(): { readonly log: Log; readonly logged: string[] } {
  const logged: string[] = [];
  return {
    logged,
    log: { ...silentLog, error: (fields, message) => void logged.push(`${message} ${JSON.stringify(fields)}`) },
  };
}

test('I38 a guest that ends while no agent runs is reported with its exit and not restarted', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('echo working; sleep 0.5; exit 7') });
  const first = bench.agent();
  await first.start(spec);
  first.close();
  await eventually(async () => !(await runs(guestName(spec.id))));
  const second = bench.agent();
  await second.recover();
  assert.equal((await exited(second, spec)).exitCode, 7);
  await assert.rejects(second.start(spec), { code: 'GUEST_ALREADY_RAN' });
  assert.equal(bench.journal().match(/"command","detail":"run /g)?.length, 1);
});

test('a guest outlives its agent, and the next agent observes its exit immediately', async context => {
  const bench = await makeGuestsBench(context);
  const share = join(bench.state, 'in');
  mkdirSync(share);
  const waiting = 'echo one; while [ ! -e "/Volumes/My Shared Files/in/go" ]; do sleep 0.1; done; echo two';
  const spec = bench.spec({ process: shell(waiting), shares: [{ name: 'in', path: share, readOnly: true }] });
  const first = bench.agent();
  await first.start(spec);
  await running(first, spec);
  first.close();
  const second = bench.agent();
  await second.recover();
  assert.equal(second.find(spec.id)?.state.phase, 'running');
  writeFileSync(join(share, 'go'), '');
  assert.equal((await exited(second, spec)).exitCode, 0);
  assert.match(bench.logOf(spec), /stdout F one\n.*stdout F two\n$/);
});

test('the next start creates an incomplete guest again, even over a partial VM', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('exit 3') });
  const directory = guestDirectory(bench.state, spec.id);
  mkdirSync(directory, { recursive: true });
  await writeRecord(directory, { spec, tart: { path: bench.simulated.path, home: bench.simulated.home } });
  mkdirSync(join(bench.simulated.home, 'vms', guestName(spec.id)));
  const guests = bench.agent();
  await guests.recover();
  assert.equal(guests.find(spec.id)?.state.phase, 'creating');
  await guests.start(spec);
  assert.equal((await exited(guests, spec)).exitCode, 3);
});

test('a corrupt record is quarantined and reported; its guest keeps running', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('exec sleep 600') });
  const first = bench.agent();
  await first.start(spec);
  await running(first, spec);
  first.close();
  const directory = guestDirectory(bench.state, spec.id);
  writeFileSync(join(directory, 'record.json'), '{"version":');
  const { log, logged } = keepingLog();
  const second = bench.agent({ log });
  await second.recover();
  assert.equal(second.find(spec.id)?.state.phase, 'running');
  assert.match(logged.join('\n'), /Guest record is unreadable/);
  assert.ok(readdirSync(directory).some(name => name.startsWith('record.json.corrupt-')));
  await second.stop(spec.id, seconds(5));
  await second.remove(spec.id);
});

test('a guest with a corrupt record that never ran ends as unknown and can be removed', async context => {
  const bench = await makeGuestsBench(context);
  const { id } = bench.spec();
  const directory = guestDirectory(bench.state, id);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'record.json'), 'garbage');
  await bench.foreign(guestName(id));
  const guests = bench.agent();
  await guests.recover();
  const state = guests.find(id)?.state;
  assert.equal(state?.phase === 'exited' && state.exit.reason, 'ContainerStatusUnknown');
  await guests.remove(id);
  assert.equal((await bench.simulated.call(['list', '--quiet'])).stdout, 'golden\n');
});

test('a corrupt exit record is quarantined, and the exit is unknown', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('exit 0') });
  const first = bench.agent();
  await first.start(spec);
  await exited(first, spec);
  first.close();
  writeFileSync(join(guestDirectory(bench.state, spec.id), 'exit.json'), '');
  const second = bench.agent();
  await second.recover();
  assert.equal((await exited(second, spec)).reason, 'ContainerStatusUnknown');
});

test('I28 an owned VM without a record is stopped and reported; foreign VMs stay', async context => {
  const bench = await makeGuestsBench(context);
  const { id } = bench.spec();
  for (const name of [guestName(id), 'builder', 'pod-web-0']) await bench.foreign(name);
  const builder = bench.simulated.start(['run', 'builder', '--no-graphics']);
  const orphan = bench.simulated.start(['run', guestName(id), '--no-graphics']);
  await eventually(() => runs(guestName(id)));
  const guests = bench.agent();
  await guests.recover();
  await orphan.outcome;
  const state = guests.find(id)?.state;
  assert.equal(state?.phase === 'exited' && state.exit.reason, 'ContainerStatusUnknown');
  assert.equal(guests.all().length, 1);
  await guests.remove(id);
  assert.equal((await bench.simulated.call(['list', '--quiet'])).stdout, 'builder\ngolden\npod-web-0\n');
  assert.equal(builder.process.exitCode, null);
});

test('a partial bundle, which Tart neither lists nor deletes, is removed with its guest', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('exit 0') });
  const guests = bench.agent();
  await guests.start(spec);
  await exited(guests, spec);
  rmSync(join(bench.simulated.home, 'vms', guestName(spec.id), 'config.json'));
  await guests.remove(spec.id);
  assert.deepEqual(readdirSync(join(bench.simulated.home, 'vms')), ['golden']);
});

test('an exit that the disk rejects is reported anyway, and written when there is space', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('sleep 0.5; exit 6') });
  const guests = bench.agent();
  await guests.start(spec);
  const directory = guestDirectory(bench.state, spec.id);
  const inTheWay = join(directory, '.exit.json.new');
  mkdirSync(join(inTheWay, 'full'), { recursive: true });
  assert.equal((await exited(guests, spec)).exitCode, 6);
  assert.ok(!readdirSync(directory).includes('exit.json'));
  const next = bench.agent();
  await next.recover();
  assert.equal((await exited(next, spec)).exitCode, 6);
  rmSync(inTheWay, { recursive: true });
  await eventually(() => readdirSync(directory).includes('exit.json'));
  await eventually(async () => !(await listProcesses()).some(isSupervisorOf(directory)));
});

test('no exit is reported while Tart cannot confirm that the VM has stopped', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('exec sleep 600') });
  const { log, logged } = keepingLog();
  const guests = bench.agent({ log });
  await guests.start(spec);
  await running(guests, spec);
  const fails = { kind: 'command', matches: '^tart list', fault: { type: 'fail', code: 1, message: 'no' } } as const;
  bench.simulated.change({ faults: [fails] });
  await killProcesses(isSupervisorOf(guestDirectory(bench.state, spec.id)), systemClock);
  await eventually(() => logged.some(line => line.includes('Could not confirm that an unsupervised VM has stopped')));
  assert.equal(guests.find(spec.id)?.state.phase, 'running');
  bench.simulated.change({ faults: [] });
  assert.equal((await exited(guests, spec)).reason, 'ContainerStatusUnknown');
});

test('a hanging supervisor does not keep a guest from being stopped', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('exec sleep 600') });
  const guests = bench.agent({ clock: hasty });
  await guests.start(spec);
  await running(guests, spec);
  const [supervisor] = (await listProcesses()).filter(isSupervisorOf(guestDirectory(bench.state, spec.id)));
  process.kill(supervisor?.pid ?? 0, 'SIGSTOP');
  await guests.stop(spec.id, seconds(1));
  assert.equal((await exited(guests, spec)).reason, 'ContainerStatusUnknown');
  assert.equal(await runs(guestName(spec.id)), false);
});

test('a hanging Tart does not block the agent’s start', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ process: shell('exec sleep 600') });
  const first = bench.agent();
  await first.start(spec);
  await running(first, spec);
  first.close();
  await killProcesses(isSupervisorOf(guestDirectory(bench.state, spec.id)), systemClock);
  bench.simulated.change({ faults: [{ kind: 'command', matches: '^tart list', times: 2, fault: { type: 'hang' } }] });
  const second = bench.agent({ clock: hasty, tart: bench.tart(hasty) });
  await second.recover();
  assert.equal(second.find(spec.id)?.state.phase, 'starting');
  assert.equal((await exited(second, spec)).reason, 'ContainerStatusUnknown');
});
