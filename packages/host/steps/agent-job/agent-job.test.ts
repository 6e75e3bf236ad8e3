import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { launchdOf } from '@minifleet/world/mac';
import { planStep } from '../../engine/step.ts';
import { convergeStep, type TestHost } from '../../testing/index.ts';
import { agentJob } from './agent-job.ts';
import { AGENT_COMMAND, AGENT_COMMAND_TARGET, AGENT_LABEL } from './agent-launchd-job.ts';
import {
  agentHost,
  agentPid,
  agentWant,
  asRoot,
  builderArguments,
  roll,
  rollSent,
  runningAgent,
  sendAgent,
  slotFor,
} from './testing/agent-host.ts';

const PLIST = `/Library/LaunchDaemons/${AGENT_LABEL}.plist`;
const registrations = ({ mac }: TestHost): number => launchdOf(mac).registrations.get(AGENT_LABEL) ?? 0;
const link = ({ mac, root }: TestHost, name: string): string =>
  mac.files.readLink(root, `/usr/local/lib/tart-kubelet/${name}`);

test('I35 on a fresh Mac the agent runs as its user from its slot, with its directories and log', async () => {
  const given = agentHost();
  const { mac, root, journal } = given;
  const { before, after, notes } = await roll(given, 'version 1');
  const slot = slotFor('version 1');
  assert.deepEqual(before, {
    state: 'drift',
    disturbs: 'new VMs',
    differences: [
      `the agent slot is missing, expected ${slot}`,
      'tart-kubelet is not in /usr/local/bin',
      `${PLIST} is missing`,
      `launchd has no job ${AGENT_LABEL}`,
      '/var/log/tart-vms is missing',
      '/var/log/tart-kubelet.log is missing',
    ],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(notes, [`rolled out ${slot} (previous: none)`]);
  assert.equal(link(given, 'current'), slot);
  assert.equal(mac.files.readLink(root, AGENT_COMMAND), AGENT_COMMAND_TARGET);
  assert.equal(
    await asRoot(given, `stat -f '%Su:%Sg %Lp' ${PLIST} /var/log/tart-vms`),
    'root:wheel 644\nm1:staff 755\n',
  );
  assert.match(
    await asRoot(given, 'ps -axo user=,command='),
    /^m1 \/usr\/local\/bin\/tart-kubelet --node-name=mini-01/m,
  );
  assert.deepEqual(journal.gaps, []);
});

test('agent-job: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const given = await runningAgent('version 1');
  const pid = await agentPid(given);
  const asked = given.transport.roundTrips;
  const { before, notes } = await convergeStep(given.host, planStep(agentJob, agentWant('version 1')));
  assert.deepEqual([before, notes], [{ state: 'current' }, []]);
  assert.equal(given.transport.roundTrips - asked, 1);
  assert.equal(await agentPid(given), pid);
});

test('I17 a program rollout is a restart without registration, and KeepAlive works after twelve', async () => {
  const given = await runningAgent('version 0');
  for (let version = 1; version <= 12; version++) {
    const pid = await agentPid(given);
    const { after } = await roll(given, `version ${version}`);
    assert.deepEqual(after, { state: 'current' });
    assert.notEqual(await agentPid(given), pid);
  }
  assert.equal(registrations(given), 1);
  assert.equal(link(given, 'previous'), slotFor('version 11'));
  await asRoot(given, 'killall -TERM tart-kubelet');
  await given.clock.advance(seconds(15));
  assert.notEqual(await agentPid(given), undefined);
});

test('an agent rollout takes two round trips between its inspections', async () => {
  const given = await runningAgent('version 1');
  await sendAgent(given, 'version 2');
  const asked = given.transport.roundTrips;
  await rollSent(given, 'version 2');
  assert.equal(given.transport.roundTrips - asked, 4);
});

test('I17 other arguments are bootstrapped again after the old job is gone', async () => {
  const given = await runningAgent('version 1');
  launchdOf(given.mac).settings.departure = seconds(4);
  const { before, after } = await roll(given, 'version 1', { arguments: builderArguments });
  assert.deepEqual(before, {
    state: 'drift',
    disturbs: 'new VMs',
    differences: [
      `${PLIST} is not the expected file`,
      `launchd runs ${AGENT_LABEL} without --disable-vm-gc --register-with-taints=minifleet.dev/builder=true:NoSchedule`,
    ],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.equal(registrations(given), 2);
  assert.match(await asRoot(given, 'ps -axo command='), /tart-kubelet .*--disable-vm-gc/);
  assert.deepEqual(given.journal.gaps, []);
});

test('a job that launchd has not reloaded is detected although the file is in sync', async () => {
  const given = await runningAgent('version 1');
  const { mac, root } = given;
  const wantedList = mac.files.read(root, PLIST).toString();
  mac.files.write(root, PLIST, wantedList.replace('--max-pods=3', '--max-pods=9'));
  await asRoot(given, `launchctl bootout system/${AGENT_LABEL}; sleep 2; launchctl bootstrap system ${PLIST}`);
  await given.clock.advance(seconds(10));
  mac.files.write(root, PLIST, wantedList);
  const { before, after } = await roll(given, 'version 1');
  assert.deepEqual(before.state === 'drift' && before.differences, [
    `launchd runs ${AGENT_LABEL} with --max-pods=9, which is not expected`,
    `launchd runs ${AGENT_LABEL} without --max-pods=3`,
  ]);
  assert.deepEqual(after, { state: 'current' });
});

test('I17 an agent that macOS no longer restarts is reported and started again', async () => {
  const given = await runningAgent('version 1');
  launchdOf(given.mac).registrations.set(AGENT_LABEL, 11);
  await asRoot(given, 'killall -TERM tart-kubelet');
  await given.clock.advance(seconds(60));
  const { before, after } = await roll(given, 'version 1');
  assert.deepEqual(before.state === 'drift' && before.differences, [
    'the agent is not running, and Background Task Management no longer lets launchd restart it: it was terminated by a signal (Terminated: 15)',
  ]);
  assert.deepEqual(after, { state: 'current' });
  assert.equal(registrations(given), 11);
});

test('an agent that was started before its credentials were written is restarted, once', async () => {
  const given = await runningAgent('version 1');
  const pid = await agentPid(given);
  await given.clock.advance(seconds(60));
  given.mac.files.makeDirectory(given.root, '/etc/tart-kubelet', { parents: true });
  given.mac.files.write(given.root, '/etc/tart-kubelet/kubeconfig', 'of this cluster');
  const { before, after } = await roll(given, 'version 1');
  assert.deepEqual(before, {
    state: 'drift',
    disturbs: 'new VMs',
    differences: [`the agent (pid ${pid}) was started before its credentials were written`],
  });
  assert.deepEqual(after, { state: 'current' });
  const restarted = await agentPid(given);
  assert.notEqual(restarted, pid);
  assert.deepEqual((await roll(given, 'version 1')).before, { state: 'current' });
  assert.equal(await agentPid(given), restarted);
});

test('a young agent process gets time instead of a restart', async () => {
  const given = await runningAgent('version 1');
  await asRoot(given, 'killall -TERM tart-kubelet');
  await given.clock.advance(seconds(5));
  const pid = await agentPid(given);
  const { before, after } = await roll(given, 'version 1');
  assert.deepEqual(before.state === 'drift' && before.disturbs, 'nothing');
  assert.deepEqual(after, { state: 'current' });
  assert.equal(await agentPid(given), pid);
});

test('directories, owners, links and a disabled job of the agent are repaired', async () => {
  const damages: readonly (readonly [string, RegExp, boolean])[] = [
    ['rm -rf /var/log/tart-vms', /tart-vms is missing/, false],
    ['chown root:wheel /var/log/tart-kubelet.log', /belongs to root:wheel, expected m1:staff/, false],
    [`chmod 666 ${PLIST}`, /is writable by other users than root/, false],
    [`launchctl disable system/${AGENT_LABEL}`, /would not start at the next boot/, false],
    [
      `rm ${AGENT_COMMAND}; cp /usr/local/lib/tart-kubelet/current/tart-kubelet ${AGENT_COMMAND}`,
      /is a file, expected a link/,
      true,
    ],
    ['rm /usr/local/lib/tart-kubelet/current', /agent slot is missing/, true],
    ['cd /usr/local/lib/tart-kubelet; rm current; mkdir current; touch current/x', /agent slot is missing/, true],
    [`launchctl bootout system/${AGENT_LABEL}`, /is not running/, true],
    [`launchctl bootout system/${AGENT_LABEL}; sleep 5`, /launchd has no job/, true],
    [`rm ${PLIST}`, /plist is missing/, true],
  ];
  for (const [damage, words, restarts] of damages) {
    const given = await runningAgent('version 1');
    const pid = await agentPid(given);
    await asRoot(given, damage);
    const { before, after } = await roll(given, 'version 1');
    assert.match(JSON.stringify(before), words);
    assert.deepEqual(after, { state: 'current' }, damage);
    assert.equal((await agentPid(given)) !== pid, restarts, damage);
    assert.deepEqual(given.journal.gaps, []);
  }
});

test('without a program in the slot the agent job is not changed', async () => {
  const given = await runningAgent('version 1');
  const pid = await agentPid(given);
  await assert.rejects(rollSent(given, 'version 2'), { code: 'HOST_AGENT_PROGRAM_MISSING' });
  assert.equal(await agentPid(given), pid);
  assert.equal(link(given, 'current'), slotFor('version 1'));
});
