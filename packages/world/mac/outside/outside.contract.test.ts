import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Duration, seconds } from '@minifleet/clock';
import { eventually, type FakeClock } from '@minifleet/clock/testing';
import { root } from '../mac.ts';
import { running } from '../testing/process-alive.ts';
import { BOOTSTRAP, LABEL, PROGRAM, realJob } from './testing/real-job.ts';

const STAYS = 'echo started; exec /bin/sleep 1000';

/** Waits for output of the job; its Mac's clock does not advance. */
const logged = (log: () => string, what: RegExp): Promise<string> =>
  eventually(() => what.exec(log())?.[0], { what: String(what) });

/** Advances the Mac's clock until the condition holds; real processes take real time. */
const passes = (clock: FakeClock, step: Duration, condition: () => boolean): Promise<boolean> =>
  eventually(async () => {
    await clock.advance(step);
    return condition();
  });

/** Calls a program of this Mac from a real process. */
async function call(folder: string, argv: readonly [string, ...string[]], input: string | Buffer = '') {
  const [program, ...words] = argv;
  const child = spawn(join(folder, program), words, { stdio: 'pipe' });
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stdin.on('error', () => undefined).end(input);
  const [code] = await once(child, 'close');
  return { code: code as number, out: Buffer.concat(out) };
}

test('a real process uses its own Mac’s programs, user, sudo and session', async t => {
  const script =
    'sw_vers -productVersion; id -un; sudo -n launchctl print gui/501; echo "code $?"; uname -s; exec /bin/sleep 1000';
  const { asRoot, log } = realJob(t, { script });
  await asRoot(BOOTSTRAP);
  await logged(log, /Darwin/);
  assert.match(log(), /^26\.3\nm1\n/);
  assert.match(log(), /code [1-9]/);
});

test('arguments, variables and directory of a real process are the Mac’s, mapped to the real folder', async t => {
  const { asRoot, log, folder, journal } = realJob(t, {
    script: 'echo "$@"; echo $HOME; /bin/pwd; exec /bin/sleep 1000',
    arguments: ['--kubeconfig=/etc/tart-kubelet/kubeconfig', '--provider-id=scw-applesilicon://fr-par-1/4a6d'],
    flags: ['--state-dir=/var/lib/tart-kubelet'],
    plist: { WorkingDirectory: '/Users/m1' },
  });
  await asRoot(BOOTSTRAP);
  await logged(log, new RegExp(`^${folder}/Users/m1\n${folder}/Users/m1$`, 'm'));
  const [words] = log().split('\n');
  assert.equal(
    words,
    `--state-dir=${folder}/var/lib/tart-kubelet --kubeconfig=${folder}/etc/tart-kubelet/kubeconfig --provider-id=scw-applesilicon://fr-par-1/4a6d`,
  );
  assert.deepEqual(journal.gaps, []);
});

test('a real process sees files written on the Mac and keeps its own changes over a restart', async t => {
  const { mac, asRoot, log, folder, clock } = realJob(t, { script: STAYS });
  mac.files.makeDirectory(root, '/etc/tart-kubelet');
  mac.files.write(root, '/etc/tart-kubelet/kubeconfig', 'first', { mode: 0o600 });
  await asRoot(BOOTSTRAP);
  await logged(log, /started/);
  const real = join(folder, 'etc/tart-kubelet/kubeconfig');
  assert.equal(readFileSync(real, 'utf8'), 'first');
  mac.files.write(root, '/etc/tart-kubelet/kubeconfig', 'second');
  assert.equal(readFileSync(real, 'utf8'), 'second');
  writeFileSync(real, 'rotated by the process');
  await asRoot(`launchctl kill SIGTERM system/${LABEL}`);
  await passes(clock, seconds(11), () => (log().match(/started/g)?.length ?? 0) > 1);
  assert.equal(readFileSync(real, 'utf8'), 'rotated by the process');
  mac.files.remove(root, '/etc/tart-kubelet/kubeconfig');
  assert.ok(!existsSync(real));
});

test('calls from a real process pass input, output and exit codes unchanged', async t => {
  const { asRoot, log, folder } = realJob(t, { script: STAYS });
  await asRoot(BOOTSTRAP);
  await logged(log, /started/);
  const bytes = Buffer.alloc(3_000_000, Buffer.from([0, 1, 10, 255]));
  assert.ok((await call(folder, ['bin/cat'], bytes)).out.equals(bytes));
  assert.equal((await call(folder, ['bin/sh', '-c', 'exit 42'])).code, 42);
  // The program does not read all input; its exit code still counts.
  assert.deepEqual(await call(folder, ['usr/bin/true'], bytes), { code: 0, out: Buffer.alloc(0) });
  mkdirSync(join(folder, 'var/lib/tart-kubelet'));
  assert.equal((await call(folder, ['bin/df', '-k', `${folder}/var/lib/tart-kubelet`])).code, 0);
});

test('a real process finds programs installed later; killing the caller kills its program', async t => {
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const { asRoot, log, folder, mac } = realJob(t, { script: STAYS, plist: { EnvironmentVariables: environment } });
  await asRoot(BOOTSTRAP);
  await logged(log, /started/);
  const killed = Promise.withResolvers<void>();
  mac.install('/usr/local/bin/waits', async run => {
    run.signal.addEventListener('abort', () => killed.resolve(), { once: true });
    run.out('waiting\n');
    await killed.promise;
    return 0;
  });
  const child = spawn(join(folder, 'usr/local/bin/waits'), { stdio: 'pipe' });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await killed.promise;
});

test('a Mac that loses power kills the real job, its calls and the processes the job left running', async t => {
  const supervise = 'if [ "$1" = supervise ]; then while :; do /bin/sleep 0.2; done; fi';
  const script = `${supervise}; "$0" supervise & echo supervisor $!; exec /bin/sleep 1000`;
  const { asRoot, log, mac, folder } = realJob(t, { script });
  await asRoot(BOOTSTRAP);
  const pid = Number((await logged(log, /supervisor \d+/)).split(' ')[1]);
  assert.ok(running(pid));
  mac.shutDown();
  await eventually(() => !running(pid));
  assert.notEqual((await call(folder, ['usr/bin/sw_vers'])).code, 0);
});

test('without an executable option, the installed file runs, and the new one after an update', async t => {
  const { asRoot, log, mac, clock } = realJob(t, {});
  const program = (version: number): string => `#!/bin/sh\necho version ${version}\nexec /bin/sleep 1000\n`;
  mac.files.write(root, PROGRAM, program(1));
  await asRoot(BOOTSTRAP);
  await logged(log, /version 1/);
  mac.files.write(root, PROGRAM, program(2));
  await asRoot(`launchctl kickstart -k system/${LABEL}`);
  await passes(clock, seconds(1), () => /version 2/.test(log()));
});

test('a call from a real process takes less than 60 ms', async t => {
  const { asRoot, log, folder } = realJob(t, { script: STAYS });
  await asRoot(BOOTSTRAP);
  await logged(log, /started/);
  const times: number[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const before = performance.now();
    await call(folder, ['usr/bin/sw_vers']);
    times.push(performance.now() - before);
  }
  const least = Math.min(...times);
  t.diagnostic(`least ${least.toFixed(1)} ms, median ${times.sort((a, b) => a - b)[10]?.toFixed(1)} ms`);
  assert.ok(least < 60);
});
