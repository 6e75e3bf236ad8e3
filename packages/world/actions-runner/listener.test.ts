import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { milliseconds, minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { encodeJitConfig, runnerFiles } from '../github/runners/jit-config.ts';
import { type ExampleGithub, exampleGithub } from '../github/testing/example-github.ts';
import { installRunner } from './install-runner.ts';
import { type ListenerDeps, runListener } from './listener.ts';

const JOB = { repository: 'acme/app', labels: ['macos'] };

interface ListenerFixture extends ExampleGithub {
  readonly root: string;
  readonly jitConfig: string;
  /** Starts a listener and collects its lines. */
  listen(more?: Partial<ListenerDeps>): { readonly lines: string[]; readonly code: Promise<number>; stop(): void };
}

async function bench(t: TestContext, options?: Parameters<typeof exampleGithub>[1]): Promise<ListenerFixture> {
  const forge = await exampleGithub(t, options);
  const root = mkdtempSync(join(tmpdir(), 'actions-runner-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  installRunner(root, '2.330.0');
  const scope = forge.github.state.accounts.findScope('acme');
  assert.ok(scope);
  const runner = forge.github.state.runners.add({ scope, name: 'pod', groupId: 1, labels: ['macos'], ephemeral: true });
  const jitConfig = encodeJitConfig(runnerFiles(forge.github.state, runner));
  return {
    ...forge,
    root,
    jitConfig,
    listen(more = {}) {
      const stop = new AbortController();
      t.after(() => stop.abort());
      const lines: string[] = [];
      const code = runListener({
        ...{ root, version: '2.330.0', clock: forge.clock, jitConfig, environment: { PATH: '/usr/bin:/bin' } },
        stop: stop.signal,
        out: line => lines.push(line),
        err: line => lines.push(line),
        ...more,
      });
      return { lines, code, stop: () => stop.abort() };
    },
  };
}

const listens = (lines: readonly string[]): Promise<unknown> =>
  eventually(() => lines.some(line => line.includes('Listening for Jobs')));

/** Responses of GitHub take real time; delays take time on the clock. A step costs little, so the time between two steps stays short. */
const passTime = ({ clock }: ExampleGithub, until: () => boolean): Promise<unknown> =>
  eventually(
    async () => {
      await clock.advance(seconds(5));
      return until();
    },
    { interval: milliseconds(10) },
  );

test('a runner with a JIT configuration runs one job and is removed from GitHub and from disk', async t => {
  const forge = await bench(t);
  const { lines, code } = forge.listen();
  const script = 'echo "$RUNNER_NAME does $GITHUB_JOB for $GITHUB_REPOSITORY"; basename "$PWD"; exit 0';
  const job = forge.github.queueJob({ ...JOB, name: 'build', script });
  const next = forge.github.queueJob(JOB);
  assert.equal(await code, 0);
  assert.equal(await job.ended, 'success');
  assert.equal(job.log, 'pod does build for acme/app\napp\n');
  const text = lines.join('\n').replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, '<time>');
  assert.equal(
    text,
    `\n√ Connected to GitHub\n\nCurrent runner version: '2.330.0'\n<time>: Listening for Jobs\n<time>: Running job: build\n<time>: Job build completed with result: Succeeded`,
  );
  assert.deepEqual([forge.github.state.runners.all.length, next.status], [0, 'queued']);
  assert.equal(existsSync(join(forge.root, '.runner')), false);
  assert.deepEqual(forge.github.doubles(), []);
  const again = forge.listen({ jitConfig: undefined });
  assert.deepEqual([await again.code, again.lines], [1, ['Runner is not configured.']]);
});

test('a JIT configuration that was used before is rejected as a deleted registration', async t => {
  const forge = await bench(t);
  forge.github.queueJob({ ...JOB, script: 'true' });
  assert.equal(await forge.listen().code, 0);
  const { lines, code } = forge.listen();
  assert.equal(await code, 1);
  assert.match(
    lines.join('\n'),
    /√ Connected to GitHub\n\nFailed to create a session\. The runner registration has been/,
  );
});

test('an invalid JIT configuration ends the listener with .NET’s message', async t => {
  const { lines, code } = (await bench(t)).listen({ jitConfig: 'nonsense' });
  assert.equal(await code, 1);
  assert.match(lines.join(), /^The input is not a valid Base-64 string/);
});

test('a listener whose session another process holds retries for four minutes and exits with code 5', async t => {
  const forge = await bench(t);
  const [runner] = forge.github.state.runners.all;
  const session = forge.github.connect(runner?.clientId ?? '');
  const { lines, code } = forge.listen();
  await passTime(forge, () => lines.some(line => line.startsWith('Stop retry')));
  assert.equal(await code, 5);
  assert.equal(lines.filter(line => line === 'A session for this runner already exists.').length, 8);
  assert.equal(lines.at(-1), 'Failed to create session. A session for this runner already exists.');
  session.close();
});

test('an ephemeral runner deleted in GitHub while it waits for a job cleans up and exits with 0', async t => {
  const forge = await bench(t);
  const { lines, code } = forge.listen();
  await listens(lines);
  forge.github.deleteRunner('pod');
  assert.equal(await code, 0);
  assert.match(
    lines.join('\n'),
    /Listening for Jobs\n.*no longer exists on the server\. Cleaning up local configuration\.$/,
  );
  assert.equal(existsSync(join(forge.root, '.runner')), false);
});

test('GitHub may remove an ephemeral runner that is idle for minutes, and not one with a job', async t => {
  const forge = await bench(t, { behaviour: { idleLimit: minutes(6) } });
  const { lines, code } = forge.listen();
  await listens(lines);
  await passTime(forge, () => lines.some(line => line.includes('Cleaning up')));
  assert.equal(await code, 0);
  assert.deepEqual(forge.github.state.runners.all, []);
  const other = await bench(t, { behaviour: { idleLimit: minutes(6) } });
  const busy = other.listen();
  const job = other.github.queueJob({ ...JOB, held: true });
  await eventually(() => job.begun.length === 1);
  await other.clock.advance(minutes(7));
  other.github.releaseJob(job);
  assert.deepEqual([await busy.code, await job.ended], [0, 'success']);
});

test('a listener retries an unreachable GitHub and prints only the first failure', async t => {
  const forge = await bench(t);
  const lost = { type: 'drop', when: 'before' } as const;
  forge.faults.add({ place: 'github', detail: /POST \/_world\/runner\/session/, fault: lost, times: 2 });
  const { lines, code } = forge.listen();
  await passTime(forge, () => lines.some(line => line.includes('Listening for Jobs')));
  forge.github.queueJob({ ...JOB, script: 'true' });
  assert.equal(await code, 0);
  const output = lines.join('\n');
  assert.match(
    output,
    /Runner connect error: .*\. Retrying until reconnected\.[\s\S]*Runner reconnected\.[\s\S]*Succeeded$/,
  );
  assert.equal(output.match(/Runner connect error/g)?.length, 1);
});

test('a runner version past its deadline is refused at the poll, after it listens', async t => {
  const forge = await bench(t);
  const { clock, github } = forge;
  const { releases } = github.state;
  releases.announce('2.336.0', clock.now() + seconds(60));
  const asked = { PATH: '/usr/bin:/bin', ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE: '1' };
  const { lines, code } = forge.listen({ version: '2.336.0', environment: asked });
  await listens(lines);
  await passTime(forge, () => lines.length > 2);
  assert.equal(await code, 7);
  assert.match(
    lines.join('\n'),
    /Listening for Jobs\nAn error occured: \[Error: Forbidden \]Runner version v2\.336\.0 is deprecated and cannot receive messages\.$/,
  );
  const job = github.queueJob(JOB);
  assert.equal(await forge.listen({ version: '2.336.0' }).code, 1, 'without the variable');
  releases.announce('2.332.0', clock.now());
  const old = forge.listen({ version: '2.332.0', environment: asked });
  assert.equal(await old.code, 1, 'a runner before 2.333.0 ignores the variable');
  assert.equal(job.status, 'queued');
});

test('during a false alarm GitHub refuses the newest runner version, and accepts it again later', async t => {
  const forge = await bench(t);
  const { releases } = forge.github.state;
  releases.falseAlarm = true;
  const refused = forge.listen({ version: '2.338.0' });
  assert.equal(await refused.code, 1);
  assert.match(refused.lines.at(-1) ?? '', /v2\.338\.0 is deprecated and cannot receive messages/);
  assert.deepEqual(releases.deprecation('2.338.0'), { deadline: undefined });
  releases.falseAlarm = false;
  const job = forge.github.queueJob({ ...JOB, script: 'true' });
  assert.equal(await forge.listen({ version: '2.338.0' }).code, 0);
  assert.equal(await job.ended, 'success');
});

test('a cancelled job ends its script and is reported as cancelled', async t => {
  const forge = await bench(t);
  const { lines, code } = forge.listen();
  const job = forge.github.queueJob({ ...JOB, script: 'echo begun; sleep 1000' });
  await eventually(() => job.log === 'begun\n');
  forge.github.cancelJob(job);
  assert.equal(await code, 0);
  assert.equal(await job.ended, 'cancelled');
  assert.match(lines.at(-1) ?? '', /completed with result: Canceled$/);
});

test('a stopped listener closes its session; with a running job it cancels the job first', async t => {
  const idle = await bench(t);
  const waiting = idle.listen();
  await listens(waiting.lines);
  waiting.stop();
  assert.equal(await waiting.code, 0);
  assert.equal(idle.github.state.runners.all[0]?.online, false);
  const busy = await bench(t);
  const working = busy.listen();
  const job = busy.github.queueJob({ ...JOB, held: true });
  await eventually(() => job.begun.length === 1);
  working.stop();
  assert.equal(await working.code, 0);
  assert.equal(await job.ended, 'cancelled');
});

test('a failed job does not fail the runner', async t => {
  const forge = await bench(t);
  const { lines, code } = forge.listen();
  const job = forge.github.queueJob({ ...JOB, script: 'echo no; exit 3' });
  assert.deepEqual([await code, await job.ended], [0, 'failure']);
  assert.match(lines.at(-1) ?? '', /completed with result: Failed$/);
});

test('job hooks run before and after the job, and a failing first hook fails the job', async t => {
  const forge = await bench(t);
  const hook = (name: string): string => join(forge.root, name);
  const environment = {
    PATH: '/usr/bin:/bin',
    ACTIONS_RUNNER_HOOK_JOB_STARTED: hook('started.sh'),
    ACTIONS_RUNNER_HOOK_JOB_COMPLETED: hook('completed.sh'),
  };
  writeFileSync(hook('started.sh'), 'echo before');
  writeFileSync(hook('completed.sh'), 'echo after');
  const job = forge.github.queueJob({ ...JOB, script: 'echo between' });
  assert.equal(await forge.listen({ environment }).code, 0);
  assert.equal(job.log, 'before\nbetween\nafter\n');
  const other = await bench(t);
  writeFileSync(hook('started.sh'), 'echo no; exit 1');
  const refused = other.github.queueJob({ ...JOB, script: 'echo between' });
  assert.equal(await other.listen({ environment }).code, 0);
  assert.deepEqual([await refused.ended, refused.log], ['failure', 'no\n']);
});

test('a runner abandons a job whose lease has expired', async t => {
  const forge = await bench(t);
  const { lines, code } = forge.listen();
  const job = forge.github.queueJob({ ...JOB, held: true });
  await eventually(() => job.begun.length === 1);
  const cut = { type: 'drop', when: 'before' } as const;
  forge.faults.add({ place: 'github', detail: /_world\/runner\/news/, fault: cut });
  await passTime(forge, () => job.status === 'completed');
  assert.equal(job.conclusion, 'failure');
  forge.faults.clear();
  await passTime(forge, () => lines.some(line => line.includes('completed')));
  assert.equal(await code, 0);
  assert.match(lines.at(-1) ?? '', /completed with result: Abandoned$/);
});
