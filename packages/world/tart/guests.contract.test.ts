import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import type { HostFile } from './host/host-file.ts';
import { makeTart, type SimulatedTart, type StartedTart } from './testing/make-tart.ts';
import { viewScreen } from './testing/view-screen.ts';

interface CleanupContext {
  after(clean: () => Promise<void>): void;
}

async function makeHost(
  context: CleanupContext,
  host: HostFile = {},
  names: readonly string[] = ['vm'],
): Promise<SimulatedTart> {
  const tart = makeTart(host);
  context.after(() => tart.cleanUp());
  for (const name of names) await tart.call(['create', name, '--from-ipsw', 'latest']);
  return tart;
}

const happened = (tart: SimulatedTart, what: string): boolean =>
  readFileSync(join(tart.world, 'journal.jsonl'), 'utf8').includes(`"what":"${what}"`);

async function boot(tart: SimulatedTart, name = 'vm', more: readonly string[] = []): Promise<StartedTart> {
  const running = tart.start(['run', name, '--no-graphics', ...more]);
  const bootEntry = `"place":"guest/${name}","what":"booted"`;
  await eventually(() => readFileSync(join(tart.world, 'journal.jsonl'), 'utf8').includes(bootEntry));
  return running;
}

test('tart exec passes input, output and exit code of a command in the guest', async context => {
  const tart = await makeHost(context);
  await boot(tart);
  const outcome = await eventually(async () => {
    const tried = await tart.call(['exec', '-i', 'vm', 'sh', '-c', 'cat; echo bad >&2; exit 7'], { input: 'given' });
    return tried.code === 7 && tried;
  });
  assert.deepEqual([outcome.stdout, outcome.stderr], ['given', 'bad\n']);
  const terminal = await tart.call(['exec', '-t', 'vm', 'sh', '-c', 'test -t 1 && echo terminal; exit 4']);
  assert.deepEqual([terminal.code, terminal.stdout], [4, 'terminal\r\n']);
});

test('tart exec without a guest agent fails and reports the missing agent', async context => {
  const tart = await makeHost(context, { guests: { default: { agent: 'missing' } } });
  await boot(tart);
  const outcome = await eventually(async () => {
    const tried = await tart.call(['exec', 'vm', 'true']);
    return tried.code === 1 && tried;
  });
  assert.match(
    outcome.stderr,
    /^Failed to connect to the VM using its control socket: .*, is the Tart Guest Agent running\?\n$/,
  );
});

test('a program in the guest reads one share, writes another, and halts the guest', async context => {
  const script = 'cp "/Volumes/My Shared Files/env/word" "/Volumes/My Shared Files/status/word"; sudo shutdown -h now';
  const tart = await makeHost(context, { guests: { byName: { vm: { script } } } });
  const [env, status] = ['env', 'status'].map(name => join(tart.home, name));
  assert.ok(env && status);
  for (const path of [env, status]) mkdirSync(path, { recursive: true });
  writeFileSync(join(env, 'word'), 'hello');
  const running = tart.start(['run', 'vm', '--no-graphics', '--dir', `env:${env}:ro`, '--dir', `status:${status}`]);
  const outcome = await running.outcome;
  assert.deepEqual([outcome.code, outcome.stdout], [0, 'guest has stopped the virtual machine\n']);
  assert.equal(readFileSync(join(status, 'word'), 'utf8'), 'hello');
});

test('a share with an unknown suffix fails as a missing path', async context => {
  const tart = await makeHost(context);
  const outcome = await tart.call(['run', 'vm', '--dir', `env:${tart.home}:rw`]);
  assert.equal(outcome.code, 1);
  assert.match(outcome.stderr, /^Error: .*doesn’t exist/);
});

test('I38 tart run exits with 0 if the guest crashes or loses its network', async context => {
  const guests = { byName: { vm: { crashesAfterSeconds: 1 }, other: { losesNetworkAfterSeconds: 1 } } };
  const tart = await makeHost(context, { guests }, ['vm', 'other']);
  const [crashed, lost] = await Promise.all([tart.call(['run', 'vm']), tart.call(['run', 'other'])]);
  assert.equal(crashed.code, 0);
  assert.match(crashed.stdout, /^guest has stopped the virtual machine due to error: /);
  assert.equal(lost.code, 0);
  assert.match(lost.stdout, /^virtual machine's network attachment .* has been disconnected with error: /);
});

test('I06 without a session at the screen, no macOS guest starts', async context => {
  const tart = await makeHost(context, { gui: false });
  const headless = await tart.call(['run', 'vm']);
  assert.equal(headless.code, 1);
  assert.match(headless.stderr, /^Error Domain=VZErrorDomain Code=-9 "Failed to create new HostKey"/);
  tart.change({ gui: true, keychainLocked: true });
  const locked = await tart.call(['run', 'vm']);
  assert.match(locked.stderr, /^Error Domain=VZErrorDomain Code=1 "The virtual machine failed to start\."/);
});

test('a third macOS guest is refused with the names of the others; a Linux guest is not', async context => {
  const tart = await makeHost(context, {}, ['a', 'b', 'c']);
  await tart.call(['create', 'penguin', '--linux']);
  const [first] = await Promise.all([boot(tart, 'a'), boot(tart, 'b')]);
  const third = await tart.call(['run', 'c']);
  assert.deepEqual(
    [third.code, third.stderr],
    [1, 'The number of VMs exceeds the system limit (other running VMs: a, b)\n'],
  );
  await boot(tart, 'penguin');
  first.process.kill('SIGKILL');
  await first.outcome;
  await boot(tart, 'c');
});

test('processes in the guest die with a killed tart run', async context => {
  const script = 'echo $$ > "$GUEST_ROOT/pid"; exec sleep 600';
  const tart = await makeHost(context, { guests: { default: { script } } });
  const running = await boot(tart);
  const file = join(tart.home, 'vms/vm/.guest/pid');
  const pid = await eventually(() => Number(readFileSync(file, 'utf8')));
  running.process.kill('SIGKILL');
  await running.outcome;
  // Dead, but perhaps not yet reaped.
  await eventuallyHolds(() =>
    assert.match(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`]).stdout.toString(), /^Z|^$/),
  );
});

test('a suspended VM is stopped by removing its snapshot, or resumes from it', async context => {
  const tart = await makeHost(context);
  const running = await boot(tart, 'vm', ['--suspendable']);
  assert.equal((await tart.call(['suspend', 'vm'])).code, 0);
  const outcome = await running.outcome;
  assert.equal(outcome.code, 0);
  assert.match(outcome.stdout, /snapshot created successfully! shutting down the VM\.\.\.\n$/);
  assert.match((await tart.call(['list'])).stdout, /suspended/);
  const resumed = await boot(tart);
  await eventually(() => resumed.stdout.includes('restoring VM state from a snapshot...\nresuming VM...\n'));
});

test('tart stop kills a VM that ignores it after the timeout', async context => {
  const tart = await makeHost(context, { guests: { default: { ignoresStop: true } } });
  const running = await boot(tart);
  assert.equal((await tart.call(['stop', 'vm', '--timeout', '2'])).code, 0);
  assert.equal((await running.outcome).signal, 'SIGKILL');
});

test('a clone over a running VM removes its lock: the VM runs on, but tart stop does not find it', async context => {
  const tart = await makeHost(context, {}, ['vm', 'golden']);
  const running = await boot(tart);
  assert.equal((await tart.call(['clone', 'golden', 'vm'])).code, 0);
  assert.match((await tart.call(['list', '--format', 'json'])).stdout, /"Name" : "vm"/);
  assert.equal((await tart.call(['stop', 'vm'])).code, 2);
  assert.equal(running.process.exitCode, null);
});

test('tart ip returns the leased address also after the guest halted, and none if all are leased', async context => {
  const tart = await makeHost(context, { network: { first: 2, last: 2 } }, ['a', 'b']);
  const running = await boot(tart, 'a');
  assert.equal((await tart.call(['ip', 'a', '--wait', '30'])).stdout, '192.168.64.2\n');
  running.process.kill('SIGINT');
  assert.deepEqual((await running.outcome).stdout, 'Stopping VM...\n');
  assert.equal((await tart.call(['ip', 'a'])).code, 0);
  assert.match(
    readFileSync(join(tart.world, 'dhcpd_leases'), 'utf8'),
    /^\{\n\tname=.*\n\tip_address=192\.168\.64\.2\n\thw_address=1,[0-9a-f:]+\n/,
  );
  await boot(tart, 'b');
  const none = await tart.call(['ip', 'b']);
  assert.deepEqual([none.code, none.stderr], [1, 'no IP address found\n']);
  assert.ok(happened(tart, 'no address left'));
});

test('tart run dies at its next line if the reader of its output is gone', async context => {
  const tart = await makeHost(context, { guests: { default: { haltsAfterSeconds: 40 } } });
  const running = await boot(tart);
  running.process.stdout?.destroy();
  running.process.stderr?.destroy();
  assert.equal((await running.outcome).signal, 'SIGPIPE');
});

/** Address of the screen that `tart run` printed. */
const screenOf = (running: StartedTart) =>
  eventually(() => {
    const [, password, port] =
      /^VNC server is running at vnc:\/\/:(\w+-\w+-\w+-\w+)@127\.0\.0\.1:(\d+)$/m.exec(running.stdout) ?? [];
    return password !== undefined && { password, port: Number(port) };
  });

test('tart run prints a VNC password of four words, and VNC with it shows the VM’s name', async context => {
  const tart = await makeHost(context);
  const screen = await screenOf(await boot(tart, 'vm', ['--vnc-experimental']));
  for (const version of ['3.3', '3.7', '3.8'] as const) {
    const seen = await viewScreen({ ...screen, version });
    assert.deepEqual(seen, { security: [2], name: 'vm', width: 1_024, height: 768 });
  }
  await assert.rejects(viewScreen({ ...screen, password: 'wrong' }), /Authentication failure/);
  await assert.rejects(viewScreen({ port: screen.port }), /requires a password/);
});

test('VNC is served in the network of the calling Mac if it has its own', async context => {
  const tart = await makeHost(context);
  const entered = join(tart.home, 'entered');
  writeFileSync(entered, '#!/bin/sh\ntouch "$0.once"\nexec "$@"\n', { mode: 0o755 });
  const environment = { CI: '1', TART_WORLD_NETWORK: `/usr/bin/env ${entered}` };
  const screen = await screenOf(tart.start(['run', 'vm', '--vnc-experimental'], { environment }));
  assert.equal((await viewScreen(screen)).name, 'vm');
  assert.ok(existsSync(`${entered}.once`));
});

test('VNC with a window is opened instead of printed, except in CI', async context => {
  const tart = await makeHost(context, {}, ['shown', 'printed']);
  const argv = (name: string): string[] => ['run', name, '--vnc-experimental', '--graphics'];
  const shown = tart.start(argv('shown'));
  await eventually(() => /^Opening vnc:\/\/:.*\.\.\.$/m.test(shown.stdout));
  await screenOf(tart.start(argv('printed'), { environment: { CI: '1' } }));
});
