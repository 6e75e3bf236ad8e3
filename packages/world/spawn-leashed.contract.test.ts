import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { running } from './mac/testing/process-alive.ts';
import { spawnLeashed } from './spawn-leashed.ts';

const environment = { PATH: '/usr/bin:/bin' };
const LEAVES_ONE = '/bin/sleep 1000 >/dev/null 2>&1 & echo $!';

/** A separate process that starts the script on a leash and forwards its output. */
const parentWith = (options: string): string => `
const { spawnLeashed } = await import(${JSON.stringify(new URL('./spawn-leashed.ts', import.meta.url).href)});
spawnLeashed(['/bin/sh', '-c', process.argv[1]], { environment: process.env, ${options} }).stdout.pipe(process.stdout);
setInterval(() => undefined, 1_000);
`;
const PARENT = parentWith('');

/** Reads the pids in the first line of the output, and kills them at the end of the test. */
async function pidsFrom(t: TestContext, output: Readable): Promise<number[]> {
  const [line] = (await once(createInterface({ input: output }), 'line')) as [string];
  const pids = line.split(' ').map(Number);
  t.after(() => {
    for (const pid of pids.filter(running)) process.kill(pid, 'SIGKILL');
  });
  return pids;
}

for (const [what, script] of [
  ['a program and the other processes of its group', '/bin/sleep 1000 & echo $$ $!; wait'],
  ['a program that ignored its own SIGTERM to the group', "trap '' TERM; kill -TERM 0; echo $$; exec /bin/sleep 1000"],
] as const)
  test(`leash: SIGKILL to the parent also ends ${what}`, async t => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT, script], { stdio: 'pipe' });
    const pids = await pidsFrom(t, parent.stdout);
    assert.ok(pids.every(running));
    parent.kill('SIGKILL');
    await eventually(() => !pids.some(running));
  });

test('leash: with leftBehind, processes that a program left running end with the parent', async t => {
  const program = parentWith("leftBehind: 'dies with us'");
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program, LEAVES_ONE], { stdio: 'pipe' });
  const [left = 0] = await pidsFrom(t, parent.stdout);
  // The program has exited once only its child and the watcher are left in its group.
  await eventually(() => groupOf(left).length === 2);
  parent.kill('SIGKILL');
  await eventually(() => !running(left));
});

const groupOf = (pid: number): string[] => {
  const group = execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  return execFileSync('pgrep', ['-g', group], { encoding: 'utf8' }).trim().split('\n');
};

test('leash: processes that an exited program left running stay alive by default', async t => {
  const child = spawnLeashed(['/bin/sh', '-c', LEAVES_ONE], { environment });
  const closed = once(child, 'close');
  const [left = 0] = await pidsFrom(t, child.stdout);
  await closed;
  assert.ok(running(left));
});

test('leash: killGroup ends processes left running after the program’s exit, without the group id', async t => {
  const child = spawnLeashed(['/bin/sh', '-c', LEAVES_ONE], { environment, leftBehind: 'dies with us' });
  const ended = once(child, 'exit');
  const [left = 0] = await pidsFrom(t, child.stdout);
  await ended;
  const signalled = t.mock.method(process, 'kill');
  child.killGroup();
  await eventually(() => !running(left));
  assert.equal(signalled.mock.callCount(), 0);
});

test('leash: pid, input, output and exit are those of the program itself', async () => {
  const child = spawnLeashed(['/bin/sh', '-c', 'echo $$; cat; kill -USR1 $$'], { environment, directory: '/' });
  const output = text(child.stdout);
  child.stdin.end('given');
  assert.deepEqual(await once(child, 'close'), [null, 'SIGUSR1']);
  assert.equal(await output, `${child.pid}\ngiven`);
});

test('leash: a missing program exits with 127 and its name on stderr', async () => {
  const child = spawnLeashed(['/nowhere/program'], { environment });
  const complaint = text(child.stderr);
  assert.deepEqual(await once(child, 'close'), [127, null]);
  assert.match(await complaint, /^leash: .*\/nowhere\/program: not found/);
});
