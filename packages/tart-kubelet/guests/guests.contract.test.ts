import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { milliseconds, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { GuestBehaviour } from '@minifleet/world/testing/tart';
import { ADDRESS_IN_PROCESS, type GuestProcess } from './guest.ts';
import { guestName } from './guest-name.ts';
import { killProcesses } from './process-table.ts';
import { exited } from './testing/agent-options.ts';
import { makeGuestsBench, running, runs } from './testing/guests-bench.ts';
import { type GuestConduct, guestsContract } from './testing/guests-contract.ts';

const shell = (script: string, more: Partial<GuestProcess> = {}): GuestProcess => ({
  argv: ['/bin/sh', '-c', script],
  environmentFile: undefined,
  workingDirectory: undefined,
  ...more,
});

const SLEEP = shell('exec sleep 600');
const DEAF = shell("trap '' TERM; echo deaf; while :; do sleep 1; done");

const conducts: Readonly<Record<GuestConduct, { process?: GuestProcess; behaviour?: GuestBehaviour }>> = {
  'its process ends with 0': { process: shell('exit 0') },
  'its process ends with 7': { process: shell('exit 7') },
  'it runs until it is stopped': { process: SLEEP },
  'it ignores its shutdown': { process: DEAF },
  'it crashes': { process: SLEEP, behaviour: { crashesAfterSeconds: 60 } },
  'it halts by itself': { behaviour: { haltsAfterSeconds: 60 } },
};

guestsContract('guests of Tart', async context => {
  const bench = await makeGuestsBench(context);
  return {
    guests: bench.agent(),
    spec(conduct) {
      const { process, behaviour } = conducts[conduct];
      const spec = bench.spec({ process });
      if (behaviour) bench.behave(spec, behaviour);
      return spec;
    },
    settled: spec => eventually(() => bench.logOf(spec).includes('deaf')),
  };
});

test('a guest process gets the address of its guest in variables and arguments', async context => {
  const bench = await makeGuestsBench(context);
  const share = join(bench.state, 'env');
  mkdirSync(share, { recursive: true });
  writeFileSync(join(share, 'environment'), `URL=http://${ADDRESS_IN_PROCESS}:80/${ADDRESS_IN_PROCESS}`);
  const script = 'print "$ENV{URL} $ARGV[0]\\n"; sleep 60';
  const spec = bench.spec({
    process: {
      argv: ['/usr/bin/perl', '-e', `$| = 1; ${script}`, `at=${ADDRESS_IN_PROCESS}`],
      environmentFile: '/Volumes/My Shared Files/env/environment',
      workingDirectory: undefined,
    },
    shares: [{ name: 'env', path: share, readOnly: true }],
  });
  const guests = bench.agent();
  await guests.start(spec);
  await eventually(() => bench.logOf(spec).includes('http'));
  const state = guests.find(spec.id)?.state;
  const address = state?.phase === 'running' ? state.address : undefined;
  assert.match(address ?? '', /^[\d.]+$/);
  assert.ok(bench.logOf(spec).includes(`http://${address}:80/${address} at=${address}\n`), bench.logOf(spec));
  await guests.stop(spec.id, seconds(5));
});

test('a guest process gets its environment and working directory, and both outputs are in the log', async context => {
  const bench = await makeGuestsBench(context);
  const share = join(bench.state, 'env');
  mkdirSync(share, { recursive: true });
  writeFileSync(join(share, 'environment'), ['WORD=two\nlines', 'UID=mine', 'a.b=dots', 'EMPTY='].join('\0'));
  const script = 'print join("|", map { $ENV{$_} } "WORD", "UID", "a.b", "EMPTY"), "\\n", `pwd`; print STDERR "bad\\n"';
  const environmentFile = '/Volumes/My Shared Files/env/environment';
  const spec = bench.spec({
    process: { argv: ['/usr/bin/perl', '-e', script], environmentFile, workingDirectory: '/usr' },
    shares: [{ name: 'env', path: share, readOnly: true }],
  });
  const guests = bench.agent();
  await guests.start(spec);
  assert.equal((await exited(guests, spec)).exitCode, 0);
  const lines = bench.logOf(spec).trimEnd().split('\n');
  const stamped = lines.map(line => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z /, ''));
  assert.deepEqual(stamped.filter(line => line.startsWith('stdout')).sort(), [
    'stdout F /usr',
    'stdout F lines|mine|dots|',
    'stdout F two',
  ]);
  assert.deepEqual(
    stamped.filter(line => line.startsWith('stderr')),
    ['stderr F bad'],
  );
  assert.doesNotMatch(bench.journal(), /two/, 'a value is in an argument');
});

test('a guest process exits with 127 if its program is missing, with 126 if its directory is', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const missing = bench.spec({ process: { ...SLEEP, argv: ['/no/such/program'] } });
  const lost = bench.spec({ process: { ...SLEEP, workingDirectory: '/no/such/place' } });
  await Promise.all([guests.start(missing), guests.start(lost)]);
  assert.equal((await exited(guests, missing)).exitCode, 127);
  assert.equal((await exited(guests, lost)).exitCode, 126);
  assert.match(bench.logOf(missing), /stderr F \/no\/such\/program: No such file/);
});

test('stopping a guest sends SIGTERM to its process and then shuts the VM down', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec({ process: shell('trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.1; done') });
  await guests.start(spec);
  await eventually(() => bench.logOf(spec).includes('up'));
  await guests.stop(spec.id, seconds(30));
  const exit = await exited(guests, spec);
  assert.deepEqual([exit.exitCode, exit.reason], [3, 'Error']);
  assert.match(bench.logOf(spec), / stdout F bye\n$/);
  assert.match(bench.journal(), /"what":"ended","detail":"halt"/);
});

test('stopping a guest without a process shuts its VM down and reports Completed', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec();
  await guests.start(spec);
  await running(guests, spec);
  await guests.stop(spec.id, seconds(30));
  const exit = await exited(guests, spec);
  assert.deepEqual([exit.exitCode, exit.reason], [0, 'Completed']);
  assert.match(bench.logOf(spec), /guest has stopped the virtual machine/);
});

test('a VM that ignores the power cut is killed at the end of the grace period', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec();
  bench.behave(spec, { ignoresStop: true });
  await guests.start(spec);
  await running(guests, spec);
  bench.behave(spec, { ignoresStop: true, hangs: true });
  await guests.stop(spec.id, seconds(3));
  assert.equal((await exited(guests, spec)).reason, 'Killed');
  assert.equal(await runs(guestName(spec.id)), false);
});

test('a wrapped Tart is stopped with its wrapper, even if only the wrapper is killed', async context => {
  const bench = await makeGuestsBench(context);
  const tartPath = join(bench.state, 'tart');
  writeFileSync(tartPath, `#!/bin/sh\n'${bench.simulated.path}' "$@"\nexit $?\n`, { mode: 0o755 });
  const guests = bench.agent({ tartPath });
  const [stopped, orphaned] = [bench.spec({ process: DEAF }), bench.spec({ process: SLEEP })];
  await Promise.all([guests.start(stopped), guests.start(orphaned)]);
  await Promise.all([running(guests, stopped), running(guests, orphaned)]);
  await eventually(() => bench.logOf(stopped).includes('deaf'));
  await guests.stop(stopped.id, seconds(2));
  await killProcesses(
    ({ command }) => command.startsWith(`/bin/sh ${tartPath} run ${guestName(orphaned.id)}`),
    systemClock,
  );
  assert.equal((await exited(guests, orphaned)).reason, 'Killed');
  for (const { id } of [stopped, orphaned]) assert.equal(await runs(guestName(id)), false);
});

test('stopping a guest during tart clone does not wait for the clone', async context => {
  const faults = [{ kind: 'command', matches: '^tart clone', fault: { type: 'hang' } }] as const;
  const bench = await makeGuestsBench(context, { host: { faults } });
  const guests = bench.agent();
  const spec = bench.spec();
  const started = assert.rejects(guests.start(spec), { kind: 'aborted' });
  await eventually(() => bench.journal().includes('fault hang'));
  await guests.stop(spec.id, seconds(30));
  await started;
  const exit = await exited(guests, spec);
  assert.deepEqual([exit.exitCode, exit.reason], [137, 'Killed']);
  await assert.rejects(guests.start(spec), { code: 'GUEST_ALREADY_RAN' });
});

test('I38 a lost network is a failure, although tart exits with 0', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec({ process: SLEEP });
  bench.behave(spec, { losesNetworkAfterSeconds: 60 });
  await guests.start(spec);
  const exit = await exited(guests, spec);
  assert.deepEqual([exit.exitCode, exit.reason], [1, 'NetworkLost']);
  assert.match(exit.message, /has been disconnected with error/);
});

for (const [stage, behaviour] of [
  ['boot', { bootSeconds: 100_000 }],
  ['agent', { agent: 'missing' }],
  ['address', { addressAfterSeconds: 100_000 }],
] as const) {
  test(`I40 a guest that is stuck before its ${stage} is ended at its deadline, and the stage is named`, async context => {
    const bench = await makeGuestsBench(context);
    const guests = bench.agent();
    const spec = bench.spec({ process: SLEEP, bootWithin: milliseconds(1_500) });
    bench.behave(spec, behaviour);
    await guests.start(spec);
    const exit = await exited(guests, spec);
    assert.deepEqual([exit.exitCode, exit.reason], [128, 'BootTimedOut']);
    assert.match(exit.message, new RegExp(`stage ${stage}`));
    assert.equal(await runs(guestName(spec.id)), false);
  });
}

test('I06 a VM that cannot start fails with Tart’s message', async context => {
  const bench = await makeGuestsBench(context, { host: { gui: false } });
  const guests = bench.agent();
  const spec = bench.spec();
  await guests.start(spec);
  const exit = await exited(guests, spec);
  assert.deepEqual([exit.exitCode, exit.reason], [128, 'StartFailed']);
  assert.match(exit.message, /Code=-9 "Failed to create new HostKey"/);
});

test('every cloned VM has a new identity unless the Pod keeps the identity of the image', async context => {
  const bench = await makeGuestsBench(context, { host: { macosGuests: 3 } });
  const guests = bench.agent();
  const [fresh, kept] = [bench.spec(), bench.spec({ freshIdentity: false })];
  const identity = (name: string): unknown =>
    (JSON.parse(readFileSync(join(bench.simulated.home, 'vms', name, 'config.json'), 'utf8')) as { ecid: string }).ecid;
  await Promise.all([guests.start(fresh), guests.start(kept)]);
  assert.notEqual(identity(guestName(fresh.id)), identity('golden'));
  assert.equal(identity(guestName(kept.id)), identity('golden'));
});

test('an exec session with a terminal has its size, can be resized, and returns the exit code', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec();
  await guests.start(spec);
  await running(guests, spec);
  const argv = ['/bin/sh', '-c', 'stty size; read -r _; stty size; exit 4'] as const;
  const session = await guests.exec(spec.id, { argv, stdin: true, terminal: { rows: 30, columns: 90 } });
  let shown = '';
  session.stdout.on('data', data => {
    shown += String(data);
  });
  await eventually(() => shown.includes('30 90'));
  session.resize({ rows: 50, columns: 132 });
  await eventually(async () => {
    const other = await guests.exec(spec.id, { argv: ['/bin/sh', '-c', 'echo settled'], stdin: false });
    return (await text(other.stdout)) === 'settled\n';
  });
  session.stdin.write('\n');
  assert.equal(await session.exited, 4);
  assert.match(shown, /50 132/);
});

test('closing an exec session ends its command in the guest', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec();
  await guests.start(spec);
  await running(guests, spec);
  const session = await guests.exec(spec.id, { argv: ['/bin/sh', '-c', 'echo $$; exec sleep 600'], stdin: false });
  const pid = await new Promise<number>(resolve => session.stdout.once('data', data => resolve(Number(String(data)))));
  session.close();
  await eventually(() => !alive(pid));
});

function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('a hostile guest’s output is bounded in the log, and its escapes are not in messages', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const flood =
    "yes 'a long line of a hostile guest that floods its log' | head -c 30000000; printf '\\033[2J' >&2; exit 9";
  const spec = bench.spec({ process: shell(flood) });
  await guests.start(spec);
  const exit = await exited(guests, spec);
  assert.equal(exit.exitCode, 9);
  assert.ok(readFileSync(spec.logFile).length < 11 * 1024 * 1024);
  assert.ok(readFileSync(`${spec.logFile}.1`).length < 11 * 1024 * 1024);
  assert.ok(!JSON.stringify(exit).includes('\x1b'));
});
