import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { seconds } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { builderOf, processesOf, root } from '@minifleet/world/testing/mac';
import { planStep } from '../../engine/step.ts';
import { actionsRunner } from './actions-runner.ts';
import { DIRECTORY } from './runner-state.ts';
import {
  converge,
  differencesOf,
  type RunnerHost,
  runnerHost,
  runnerWant,
  runningHost,
  TOKEN,
} from './testing/runner-host.ts';

const step = planStep(actionsRunner, runnerWant());
const withoutToken = planStep(actionsRunner, runnerWant({ token: undefined }));
const staleToken = new Secret('registration token', 'AASTALETOKENCANARY');
const withStaleToken = planStep(actionsRunner, runnerWant({ token: staleToken }));

const read = (made: RunnerHost, file: string): string => made.mac.files.read(root, `${DIRECTORY}/${file}`).toString();
const registrationOf = (made: RunnerHost): string[] =>
  ['.runner', '.credentials', '.credentials_rsaparams'].map(file => read(made, file));

test('a valid runner registration is current without a token and with a stale one', async () => {
  const made = await runningHost();
  assert.equal((await withoutToken.inspect(made.host)).state, 'current');
  assert.equal((await withStaleToken.inspect(made.host)).state, 'current');
  assert.equal(made.registered.length, 1);
});

test('runner drift that needs no registration is repaired without a token', async () => {
  const made = await runningHost();
  made.mac.files.write(root, `${DIRECTORY}/.path`, '/usr/bin\n');
  assert.equal((await converge(made, withoutToken)).after.state, 'current');
});

test('a runner that must register without a token is an error, and nothing is changed', async () => {
  const made = runnerHost();
  await assert.rejects(converge(made, withoutToken), {
    code: 'HOST_RUNNER_TOKEN_NEEDED',
    retry: 'backoff',
    message: /the runner is not registered/,
  });
  assert.equal(made.mac.files.exists(root, DIRECTORY), false);
});

for (const [file, difference] of [
  ['.runner', 'the runner is not registered'],
  ['.credentials', 'the runner credentials are missing'],
] as const)
  test(`a runner with a lost ${file} is registered again`, async () => {
    const made = await runningHost();
    made.mac.files.remove(root, `${DIRECTORY}/${file}`);
    const { before, after } = await converge(made, step);
    assert.deepEqual(differencesOf(before), [difference]);
    assert.equal(after.state, 'current');
    assert.deepEqual([made.registered.length, made.registered[1]?.replace], [2, true]);
  });

test('a runner with an unreadable .runner is registered again', async () => {
  const made = await runningHost();
  made.mac.files.write(root, `${DIRECTORY}/.runner`, '{ "agentId":');
  assert.equal((await converge(made, step)).after.state, 'current');
});

test('a runner registered elsewhere moves, and its old launch agent is removed', async () => {
  const made = await runningHost(runnerWant({ url: 'https://github.com/elsewhere' }));
  const { before, after, notes } = await converge(made, step);
  assert.equal(
    differencesOf(before)[0],
    'the runner is registered as mini-01 at https://github.com/elsewhere, expected mini-01 at https://github.com/acme',
  );
  assert.equal(after.state, 'current');
  assert.deepEqual(notes, ['removed launch agent actions.runner.elsewhere.mini-01']);
  assert.equal(made.events.at(-1), 'mini-01 online in aqua');
});

test('other runner labels need a token; without one the old labels stay', async () => {
  const made = await runningHost();
  const relabelled = (token: Secret | undefined) => planStep(actionsRunner, runnerWant({ labels: ['bake'], token }));
  assert.deepEqual(differencesOf(await relabelled(undefined).inspect(made.host)), [
    'the runner is registered with the labels bare-metal,vm-image-builder, expected bake',
  ]);
  await assert.rejects(converge(made, relabelled(undefined)), { code: 'HOST_RUNNER_TOKEN_NEEDED' });
  assert.deepEqual(made.events, ['mini-01 online in aqua']);
  assert.equal((await converge(made, relabelled(new Secret('token', TOKEN)))).after.state, 'current');
  assert.deepEqual(made.registered.at(-1)?.labels, ['bake']);
});

test('a runner registration deleted by GitHub is reported and made again', async () => {
  const made = await runningHost();
  made.answer = 'deleted';
  await made.host.must(['launchctl', 'kickstart', '-k', 'gui/501/actions.runner.acme.mini-01']);
  await made.clock.advance(seconds(20));
  assert.equal(
    differencesOf(await withoutToken.inspect(made.host))[0],
    'GitHub has deleted the registration of mini-01',
  );
  await assert.rejects(converge(made, withoutToken), { code: 'HOST_RUNNER_TOKEN_NEEDED' });
  made.answer = 'connected';
  assert.equal((await converge(made, step)).after.state, 'current');
});

test('I27 a rejected registration keeps the previous one, which stays online', async () => {
  const made = await runningHost();
  const before = registrationOf(made);
  const moving = planStep(actionsRunner, runnerWant({ url: 'https://github.com/elsewhere', token: staleToken }));
  await assert.rejects(converge(made, moving), {
    code: 'HOST_RUNNER_REGISTRATION_FAILED',
    message: /elsewhere rejected the registration .*404 \(Not Found\)/,
  });
  assert.deepEqual(registrationOf(made), before);
  assert.deepEqual(made.events, ['mini-01 online in aqua']);
  assert.equal((await step.inspect(made.host)).state, 'current');
});

test('a runner that is too old to register is reported with its version, and the previous one stays', async () => {
  const made = await runningHost();
  const before = registrationOf(made);
  const message = 'Your runner version is out of date and can no longer register with GitHub.';
  const { forge } = builderOf(made.mac);
  assert.ok(forge);
  builderOf(made.mac).forge = { ...forge, register: async () => ({ status: 404, message }) };
  const moving = planStep(actionsRunner, runnerWant({ url: 'https://github.com/elsewhere' }));
  await assert.rejects(converge(made, moving), {
    code: 'HOST_RUNNER_VERSION_OUTDATED',
    message: /actions\/runner \d+\.\d+\.\d+ is too old to register; provide a newer release in the fleet file/,
  });
  assert.deepEqual(registrationOf(made), before);
});

test('a killed config.sh leaves the runner registration unchanged', async () => {
  const made = await runningHost();
  const before = registrationOf(made);
  const moving = planStep(actionsRunner, runnerWant({ url: 'https://github.com/elsewhere' }));
  made.faults.add({
    kind: 'process',
    detail: /^\.\/config\.sh/,
    fault: { type: 'drop', when: 'during' },
    times: 1,
  });
  await assert.rejects(converge(made, moving), { code: 'HOST_RUNNER_REGISTRATION_FAILED' });
  assert.deepEqual(registrationOf(made), before);
  assert.equal((await converge(made, moving)).after.state, 'current');
});

test('after a power loss during registration the next attempt restores the previous one', async () => {
  const made = await runningHost();
  const before = registrationOf(made);
  const kept = `${DIRECTORY}/.registered-before`;
  made.mac.files.makeDirectory(root, kept);
  for (const file of ['.runner', '.credentials', '.credentials_rsaparams'])
    made.mac.files.rename(root, `${DIRECTORY}/${file}`, `${kept}/${file}`);
  made.mac.files.chown(root, kept, 501, 20);
  await assert.rejects(converge(made, withStaleToken), { code: 'HOST_RUNNER_REGISTRATION_FAILED' });
  assert.deepEqual(registrationOf(made), before);
  assert.equal((await withoutToken.inspect(made.host)).state, 'current');
  assert.equal(made.mac.files.exists(root, kept), false);
});

test('I27 the token is in no argument, no process, no file and no error', async () => {
  const made = runnerHost();
  const seen: string[] = [];
  processesOf(made.mac).onStart(({ argv }) => seen.push(argv.join(' ')));
  const failed = await converge(made, withStaleToken).then(
    () => 'it did not fail',
    (error: unknown) => inspect(error, { depth: null }),
  );
  await converge(made, step);
  const journal = made.journal.entries.map(({ detail }) => detail);
  const files = made.mac.files.list(root, DIRECTORY).filter(name => name.startsWith('.'));
  const texts = [...seen, ...journal, failed, ...files.map(name => read(made, name))].join('\n');
  assert.match(failed, /HOST_RUNNER_REGISTRATION_FAILED/);
  assert.match(texts, /Runner\.Listener configure --unattended/);
  for (const token of [TOKEN, 'AASTALETOKENCANARY']) assert.equal(texts.includes(token), false);
});
