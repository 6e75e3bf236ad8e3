import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { encodeJitConfig, runnerFiles } from '../github/runners/jit-config.ts';
import { type ExampleGithub, exampleGithub } from '../github/testing/example-github.ts';
import { running } from '../mac/testing/process-alive.ts';
import { startRegistry } from '../registry/start-registry.ts';
import { makeTart, type SimulatedTart, type StartedTart } from '../tart/testing/make-tart.ts';
import { makeWorldDeps } from '../tart/testing/make-world-deps.ts';
import { runnerImage } from './install-runner.ts';

const IMAGE = 'ghcr.io/acme/runner:1';
const JOB = { repository: 'acme/app', labels: ['macos'] };
const RUN = '"$HOME/actions-runner/run.sh" --jitconfig';

interface RunScriptFixture extends ExampleGithub {
  readonly tart: SimulatedTart;
  readonly jit: string;
  /** Runs a shell command in the guest. */
  readonly exec: (command: string) => StartedTart;
}

/** A guest of a runner image, cloned from a registry like a Pod's, and a runner configuration for it. */
async function bench(t: TestContext): Promise<RunScriptFixture> {
  const forge = await exampleGithub(t);
  const registry = await startRegistry({ deps: makeWorldDeps() });
  const tart = makeTart({ registries: { 'ghcr.io': registry.url } });
  t.after(async () => {
    await tart.cleanUp();
    await registry.stop();
  });
  registry.seedImage('acme/runner:1', runnerImage('2.338.0'));
  const cloned = await tart.call(['clone', IMAGE, 'pod']);
  assert.equal(cloned.code, 0, cloned.stderr);
  tart.start(['run', 'pod', '--no-graphics']);
  await eventually(async () => (await tart.call(['exec', 'pod', 'true'])).code === 0);
  const scope = forge.github.state.accounts.findScope('acme');
  assert.ok(scope);
  const registration = {
    scope,
    name: 'pod',
    groupId: 1,
    labels: ['macos'],
    ephemeral: true,
    workFolder: '/Users/admin/work',
  };
  const runner = forge.github.state.runners.add(registration);
  return {
    ...forge,
    tart,
    jit: encodeJitConfig(runnerFiles(forge.github.state, runner)),
    exec: command => tart.start(['exec', 'pod', '/bin/sh', '-c', command]),
  };
}

test('run.sh in a guest takes a job from GitHub, runs it there and exits with 0', async t => {
  const { github, exec, jit } = await bench(t);
  const job = github.queueJob({ ...JOB, script: 'sw_vers -productVersion; echo made > "$HOME/made"; pwd' });
  const { code, stdout, stderr } = await exec(`${RUN} ${jit} --disableupdate; echo "code $?"; cat "$HOME/made"`)
    .outcome;
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^\n√ Connected to GitHub\n\nCurrent runner version: '[\d.]+'\n.*: Listening for Jobs\n.*: Running job: build\n.*: Job build completed with result: Succeeded\nRunner listener exit with 0 return code, stop the service, no retry needed\.\nExiting runner\.\.\.\ncode 0\nmade\n$/,
  );
  assert.match(job.log, /^26\.3\n.*\.guest\/Users\/admin\/work\/app\/app\n$/);
  assert.deepEqual([job.conclusion, job.runner?.name, github.doubles()], ['success', 'pod', []]);
});

test('run.sh accepts its configuration from the environment and exits with 0 if it is used up', async t => {
  const { github, exec, jit } = await bench(t);
  const job = github.queueJob({ ...JOB, script: 'env' });
  const hook = 'echo "echo before" > "$HOME/hook.sh"; export ACTIONS_RUNNER_HOOK_JOB_STARTED=/Users/admin/hook.sh';
  const run = `${hook}; export ACTIONS_RUNNER_INPUT_JITCONFIG=${jit}; /Users/admin/actions-runner/run.sh`;
  assert.equal((await exec(run).outcome).code, 0);
  assert.match(job.log, /^before\n/);
  assert.doesNotMatch(job.log, /JITCONFIG/, 'a step does not inherit the secret');
  const again = await exec(run).outcome;
  assert.equal(again.code, 0);
  assert.match(again.stderr, /^Failed to create a session\. The runner registration has been deleted from the server/);
  assert.match(
    again.stdout,
    /exit with terminated error, stop the service, no retry needed\.\nExiting runner\.\.\.\n$/,
  );
});

test('run.sh exits with 0 for a deprecated runner version, and with 7 if a variable requests it', async t => {
  const { github, exec, jit } = await bench(t);
  github.state.releases.falseAlarm = true;
  const plain = await exec(`${RUN} ${jit} --disableupdate`).outcome;
  assert.equal(plain.code, 0);
  assert.match(plain.stderr, /Runner version v\S+ is deprecated and cannot receive messages\./);
  const asked = await exec(`export ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE=1; ${RUN} ${jit}`).outcome;
  assert.equal(asked.code, 7);
  assert.match(asked.stdout, /Listening for Jobs\n[\s\S]*Exiting runner\.\.\.\n$/);
});

test('with RUNNER_MANUALLY_TRAP_SIG, SIGTERM to run.sh ends job and session, and run.sh exits with 0', async t => {
  const { github, exec, jit, tart } = await bench(t);
  const job = github.queueJob({ ...JOB, script: 'echo begun; sleep 1000' });
  const started = exec(`export RUNNER_MANUALLY_TRAP_SIG=1; echo $$ > "$HOME/pid"; exec ${RUN} ${jit}`);
  await eventually(() => job.log === 'begun\n');
  await tart.call(['exec', 'pod', '/bin/sh', '-c', 'kill -TERM $(cat "$HOME/pid")']);
  const { code, stdout } = await started.outcome;
  assert.equal(code, 0);
  assert.match(
    stdout,
    /Exiting\.\.\.\n.*completed with result: Canceled\n.*0 return code[^\n]*\nExiting runner\.\.\.\n$/,
  );
  assert.equal(await job.ended, 'cancelled');
});

test('without RUNNER_MANUALLY_TRAP_SIG, SIGTERM ends only run.sh; the job keeps the output open', async t => {
  const { github, exec, jit, tart } = await bench(t);
  const job = github.queueJob({ ...JOB, held: true, script: 'echo begun' });
  const started = exec(`echo $$ > "$HOME/pid"; exec ${RUN} ${jit}`);
  await eventually(() => job.log === 'begun\n');
  await tart.call(['exec', 'pod', '/bin/sh', '-c', 'kill -TERM $(cat "$HOME/pid")']);
  await eventually(
    async () => (await tart.call(['exec', 'pod', '/bin/sh', '-c', 'kill -0 $(cat "$HOME/pid")'])).code !== 0,
  );
  assert.equal(job.status, 'in_progress');
  github.releaseJob(job);
  const { code, stdout } = await started.outcome;
  assert.equal(code, 143);
  assert.match(stdout, /completed with result: Succeeded\n$/);
});

test('a runner in a guest without power is offline in GitHub after a minute; its job fails later', async t => {
  const { github, exec, jit, tart, clock } = await bench(t);
  const job = github.queueJob({ ...JOB, script: 'echo $$ > "$HOME/step"; echo begun; sleep 1000' });
  void exec(`${RUN} ${jit}`);
  await eventually(() => job.log === 'begun\n');
  const step = Number(readFileSync(join(tart.home, 'vms/pod/.guest/Users/admin/step'), 'utf8'));
  await tart.call(['stop', 'pod']);
  await eventually(() => !running(step), { what: 'the end of the step' });
  assert.equal(job.status, 'in_progress');
  await clock.advance(github.state.behaviour.sessionLapse);
  assert.equal(github.state.runners.all[0]?.online, false);
  await clock.advance(github.state.behaviour.leaseLapse);
  assert.equal(await job.ended, 'failure');
});
