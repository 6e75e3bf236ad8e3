import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type GuestsBench, makeGuestsBench, runs } from './testing/guests-bench.ts';

const id = { uid: '0f6e1c5e-3a55-4b1d-9c0e-0123456789ab', attempt: 0 };
const vm = { id, pod: 'default/web', startedAt: 1_000, address: '192.168.64.9' };

/** A VM as the agent of the previous system runs it: under another name, without a record, by a process that is gone. */
async function runOlder(bench: GuestsBench, name: string) {
  await bench.foreign(name);
  const run = bench.simulated.start(['run', name, '--no-graphics']);
  await eventually(() => runs(name), { what: `${name} running` });
  return run;
}
const stateOf = (guests: ReturnType<GuestsBench['agent']>) => guests.find(id)?.state;
const listed = async (bench: GuestsBench) => (await bench.simulated.call(['list', '--quiet'])).stdout.split('\n');

test('A18 a VM of the previous agent is taken over while it runs, and is neither stopped nor started', async context => {
  const bench = await makeGuestsBench(context);
  const name = 'older-taken-over';
  const run = await runOlder(bench, name);
  const guests = bench.agent();
  await guests.recover();
  await guests.inherit([{ ...vm, name }]);
  assert.deepEqual(stateOf(guests), { phase: 'running', startedAt: 1_000, address: vm.address });
  assert.ok(await runs(name));
  assert.equal(bench.journal().match(/"command","detail":"run /g)?.length, 1);
  await assert.rejects(guests.remove(id), { code: 'GUEST_STILL_THERE' });
  await guests.stop(id, seconds(1));
  await run.outcome;
  assert.equal(await runs(name), false);
  await guests.remove(id);
  assert.ok(!(await listed(bench)).includes(name));
  assert.equal(guests.find(id), undefined);
});

test('a VM of the previous agent that ends by itself has an unknown exit code', async context => {
  const bench = await makeGuestsBench(context);
  const name = 'older-ends';
  const run = await runOlder(bench, name);
  const guests = bench.agent();
  await guests.inherit([{ ...vm, name }]);
  await bench.tart(systemClock).stop(name, seconds(1));
  await run.outcome;
  const state = await eventually(() => {
    const now = stateOf(guests);
    return now?.phase === 'exited' ? now : undefined;
  });
  assert.deepEqual([state.exit.exitCode, state.exit.reason], [137, 'ContainerStatusUnknown']);
  assert.match(state.exit.message, /^the VM has ended; the agent of the previous system started it/);
});

test('a VM of the previous agent that ended while no agent ran has exited, and its files are deleted with it', async context => {
  const bench = await makeGuestsBench(context);
  const name = 'older-ended';
  await bench.foreign(name);
  const guests = bench.agent();
  await guests.inherit([{ ...vm, name }]);
  assert.equal(stateOf(guests)?.phase, 'exited');
  await guests.remove(id);
  assert.ok(!(await listed(bench)).includes(name));
});
