import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { launchdOf, m1, openGuiDomain, root } from '@minifleet/world/testing/mac';
import { planStep } from '../../engine/step.ts';
import { passTime } from '../../testing/index.ts';
import { actionsRunner } from './actions-runner.ts';
import { agentPath, DIRECTORY, JOB_PATH, logPath } from './runner-state.ts';
import { converge, differencesOf, runnerHost, runnerWant, runningHost } from './testing/runner-host.ts';

const LABEL = 'actions.runner.acme.mini-01';
const want = runnerWant();
const step = planStep(actionsRunner, want);

test('a fresh host gets a runner that listens in the GUI session', async () => {
  const made = runnerHost();
  const { before, after } = await converge(made, step);
  assert.deepEqual(before, {
    state: 'drift',
    disturbs: 'nothing',
    differences: [
      'no runner is installed in /opt/actions-runner',
      'the runner is not registered',
      `the PATH of jobs is not set, expected ${JOB_PATH}`,
      `launch agent ${LABEL} is missing`,
      'launchd has no job for the runner',
    ],
  });
  assert.equal(after.state, 'current');
  assert.deepEqual(made.events, ['mini-01 online in aqua']);
  assert.deepEqual(made.registered[0]?.labels, ['bare-metal', 'vm-image-builder']);
  for (const name of ['', '/.path', '/runsvc.sh', '/.runner'])
    assert.equal(made.mac.files.stat(root, DIRECTORY + name).uid, m1.uid, name);
  const sent = made.transport.roundTrips;
  assert.equal((await converge(made, step)).before.state, 'current');
  assert.equal(made.transport.roundTrips - sent, 1);
  assert.deepEqual(made.mac.files.list(root, '/opt'), ['actions-runner']);
  assert.deepEqual(made.journal.gaps, []);
});

test('I24 neither svc.sh nor the legacy load is used, because they cannot reach the GUI session', async () => {
  const made = await runningHost();
  const started = made.journal.entries.map(({ detail }) => detail).join('\n');
  assert.match(started, new RegExp(`gui/501/${LABEL}`));
  assert.doesNotMatch(started, /svc\.sh (install|start|stop)|launchctl (load|unload|list)/);
});

test('launchd restarts a killed runner; one booted out or disabled is repaired', async () => {
  const made = await runningHost();
  await made.host.must(['launchctl', 'kill', 'SIGKILL', `gui/501/${LABEL}`]);
  await made.clock.advance(seconds(15));
  assert.equal((await step.inspect(made.host)).state, 'current');
  await made.host.must(['launchctl', 'bootout', `gui/501/${LABEL}`]);
  await made.host.must(['launchctl', 'disable', `gui/501/${LABEL}`]);
  await made.clock.advance(seconds(15));
  const { before, after } = await converge(made, step);
  assert.deepEqual(differencesOf(before), ['launchd has no job for the runner']);
  assert.equal(after.state, 'current');
});

test('a hanging listener is detected despite an earlier log message', async () => {
  const made = await runningHost();
  made.faults.add({ kind: 'process', detail: `launchd ${LABEL}`, fault: { type: 'hang' }, times: 1 });
  await made.host.must(['launchctl', 'kickstart', '-k', `gui/501/${LABEL}`]);
  await made.clock.advance(seconds(70));
  const { before, after } = await converge(made, step);
  assert.deepEqual(differencesOf(before), ['the runner listener has not connected to GitHub']);
  assert.equal(after.state, 'current');
});

test('a runner that was just started gets time instead of a restart', async () => {
  const made = await runningHost();
  await made.host.must(['launchctl', 'kickstart', '-k', `gui/501/${LABEL}`]);
  const { before, after } = await converge(made, step);
  assert.deepEqual(differencesOf(before), [
    'the runner process is 0s old, expected 5s',
    'the runner listener has not connected to GitHub',
  ]);
  assert.equal(after.state, 'current');
  assert.equal(made.events.filter(event => event.includes('online')).length, 2);
});

test('a runner that cannot reach GitHub is reported with the listener message', async () => {
  const made = await runningHost();
  made.answer = { unreachable: 'No route to host (api.github.com:443)' };
  await made.host.must(['launchctl', 'kickstart', '-k', `gui/501/${LABEL}`]);
  await made.clock.advance(seconds(10));
  const { after } = await converge(made, step);
  assert.deepEqual(differencesOf(after), ['the runner listener fails: No route to host (api.github.com:443)']);
  made.answer = 'connected';
  assert.equal((await converge(made, step)).after.state, 'current');
});

test('a runner job that cannot start is reported with its last exit', async () => {
  const made = await runningHost();
  made.mac.files.remove(root, `${DIRECTORY}/runsvc.sh`);
  await made.host.must(['launchctl', 'kickstart', '-k', `gui/501/${LABEL}`]);
  await made.clock.advance(seconds(1));
  const { before, after } = await converge(made, step);
  assert.match(differencesOf(before)[0] ?? '', /^the runner job is .*: launchd could not start it \(exit code 78/);
  assert.equal(after.state, 'current');
});

test('PATH, owner and property list of the runner are repaired', async () => {
  const made = await runningHost();
  const { files } = made.mac;
  files.write(root, `${DIRECTORY}/.path`, '/usr/bin:/bin\n');
  files.chown(root, DIRECTORY, 0, 0);
  files.write(root, agentPath('m1', LABEL), '<plist/>', {});
  const { before, after } = await converge(made, step);
  assert.deepEqual(differencesOf(before), [
    '/opt/actions-runner belongs to root, expected m1',
    `the PATH of jobs is /usr/bin:/bin, expected ${JOB_PATH}`,
    `launch agent ${LABEL} is outdated`,
  ]);
  assert.equal(after.state, 'current');
  assert.match(
    files.read(root, logPath('m1', LABEL)).toString(),
    new RegExp(`\\.path=${JOB_PATH}\n(?!.*\\.path=)`, 's'),
  );
});

test('I17 an unchanged property list is not registered with launchd again', async () => {
  const made = await runningHost();
  const { registrations } = launchdOf(made.mac);
  for (let round = 0; round < 3; round++) {
    made.mac.files.write(root, `${DIRECTORY}/.path`, '/usr/bin\n');
    assert.equal((await converge(made, step)).after.state, 'current');
  }
  assert.equal(registrations.get(LABEL), 1);
});

test('a second launch agent of the same runner directory is removed, with a note', async () => {
  const made = await runningHost();
  const stray = 'actions.runner.old.mini-01';
  const text = made.mac.files.read(root, agentPath('m1', LABEL)).toString().replaceAll(LABEL, stray);
  made.mac.files.write(m1, agentPath('m1', stray), text);
  const { before, after, notes } = await converge(made, step);
  assert.deepEqual(differencesOf(before), [`launch agent ${stray} starts the same runner`]);
  assert.deepEqual(notes, [`removed launch agent ${stray}`]);
  assert.equal(after.state, 'current');
});

test('without a GUI session the error names the auto-login step, and nothing is changed', async () => {
  const made = runnerHost({ session: false });
  assert.ok(differencesOf(await step.inspect(made.host)).includes('m1 has no GUI session'));
  await assert.rejects(converge(made, step), { code: 'HOST_RUNNER_NEEDS_SESSION', message: /step auto-login/ });
  assert.equal(made.mac.files.exists(root, DIRECTORY), false);
  assert.deepEqual(made.registered, []);
});

test('after a reboot the runner is back with the session', async () => {
  const made = await runningHost();
  await passTime(made.clock, made.mac.reboot());
  await made.clock.advance(seconds(5));
  assert.deepEqual(differencesOf(await step.inspect(made.host)), ['m1 has no GUI session']);
  openGuiDomain(made.mac, m1, 150);
  await made.clock.advance(seconds(10));
  assert.equal((await step.inspect(made.host)).state, 'current');
});

test('a launchd that does not release the runner job is HOST_RUNNER_STUCK', async () => {
  const made = await runningHost();
  launchdOf(made.mac).settings.departure = seconds(600);
  made.mac.files.write(root, agentPath('m1', LABEL), '<plist/>');
  await assert.rejects(converge(made, step), { code: 'HOST_RUNNER_STUCK' });
});

test('a missing runner account is reported', async () => {
  const made = runnerHost();
  const other = planStep(actionsRunner, runnerWant({ user: 'nobody-here' }));
  assert.deepEqual(differencesOf(await other.inspect(made.host)), ['account nobody-here does not exist']);
});
