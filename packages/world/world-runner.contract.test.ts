import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { milliseconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from 'octokit';
import { runnerImage } from './actions-runner/install-runner.ts';
import type { BuiltMac } from './mac/create-mac.ts';
import { encodePassword } from './mac/login-window/kcpassword.ts';
import { hasAquaSession, loginWindowSettings } from './mac/login-window/login-window.ts';
import { m1, root } from './mac/mac.ts';
import { execute } from './mac/shell/execute.ts';
import { tartBinary } from './mac/tart/tart-part.ts';
import { plist } from './mac/testing/plist.ts';
import { startWorld, type World } from './world.ts';

async function worldOfOne(t: TestContext): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'world-runner-'));
  const world = await startWorld({ hosts: 1, seed: 'runner', clock: systemClock, directory });
  t.after(async () => {
    await world.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  return world;
}

/** Installs Tart and logs a user in at the screen, which a guest needs. */
async function makeReady(mac: BuiltMac): Promise<void> {
  mac.files.makeDirectory(root, '/usr/local/bin', { parents: true });
  mac.files.write(root, '/usr/local/bin/tart', tartBinary(), { mode: 0o755 });
  loginWindowSettings(mac).loginTakes = milliseconds(10);
  mac.files.write(root, '/etc/kcpassword', encodePassword(mac.options.password), { mode: 0o600 });
  mac.files.write(root, '/Library/Preferences/com.apple.loginwindow.plist', plist({ autoLoginUser: m1.name }));
  await execute(mac, 'launchctl kickstart -k system/com.apple.loginwindow', { user: root });
  await eventually(() => hasAquaSession(mac, m1.uid));
}

/** Gets a JIT configuration as a runner pool does: from the API, as the App. */
async function jitConfig({ github, githubApp }: World): Promise<string> {
  const { id: appId, installationId, keyFile, organization: org } = githubApp;
  const auth = { appId, installationId, privateKey: readFileSync(keyFile, 'utf8') };
  const { rest } = new Octokit({ baseUrl: github.url, authStrategy: createAppAuth, auth });
  const requested = { org, name: 'warm-1', runner_group_id: 1, labels: ['macos'] };
  return (await rest.actions.generateRunnerJitconfigForOrg(requested)).data.encoded_jit_config;
}

test('world: a runner in a guest of a simulated Mac takes a job from the simulated GitHub', async t => {
  const world = await worldOfOne(t);
  const [{ host } = { host: undefined }] = world.pool();
  assert.ok(host);
  await makeReady(host.mac);
  world.registry.seedImage('acme/runner:1', runnerImage());
  const tart = (words: string) => execute(host.mac, `/usr/local/bin/tart ${words}`);
  await tart('clone ghcr.io/acme/runner:1 warm');
  const vm = tart('run warm --no-graphics');
  await eventually(async () => (await tart('exec warm true')).code === 0);
  const run = `'exec "$HOME/actions-runner/run.sh" --jitconfig ${await jitConfig(world)}'`;
  const running = tart(`exec warm /bin/sh -c ${run}`);
  await eventually(() => world.github.state.runners.all.some(runner => runner.online));
  const job = world.github.queueJob({ repository: 'acme/app', labels: ['macos'], script: 'echo hello' });
  assert.equal(await job.ended, 'success');
  assert.deepEqual([(await running).code, job.log, job.runner?.name], [0, 'hello\n', 'warm-1']);
  assert.deepEqual([world.github.doubles(), world.github.state.runners.all], [[], []]);
  await tart('stop warm');
  await vm;
});
