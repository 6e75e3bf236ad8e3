import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { launchdOf, machO } from '@minifleet/world/mac';
import type { TestHost } from '../../testing/index.ts';
import { AGENT_COMMAND, AGENT_LABEL } from './agent-launchd-job.ts';
import {
  agentHost,
  agentPid,
  asRoot,
  builderArguments,
  roll,
  rollSent,
  runningAgent,
  slotFor,
} from './testing/agent-host.ts';

const PLIST = `/Library/LaunchDaemons/${AGENT_LABEL}.plist`;
const current = ({ mac, root }: TestHost): string => mac.files.readLink(root, '/usr/local/lib/tart-kubelet/current');
const listOf = ({ mac, root }: TestHost): string => mac.files.read(root, PLIST).toString();
const kickstartDoesNothing = ({ faults }: TestHost, times: number): void =>
  faults.add({ kind: 'process', detail: `kickstart ${AGENT_LABEL}`, fault: { type: 'drop', when: 'before' }, times });

/** The old version runs as if nothing had been tried, and the next converge tries again. */
async function assertRunsOld(given: TestHost, version: string): Promise<void> {
  assert.equal(current(given), slotFor(version));
  await given.clock.advance(seconds(60));
  assert.match(await asRoot(given, `launchctl print system/${AGENT_LABEL}`), /^\tstate = running$/m);
  assert.deepEqual(given.journal.gaps, []);
}

test('a version that keeps exiting is rolled back, with reason and target in the error', async () => {
  const given = await runningAgent('version 1');
  await assert.rejects(roll(given, 'version 2 exits with 3'), (error: Error & { code: string }) => {
    assert.equal(error.code, 'HOST_AGENT_NOT_STABLE');
    assert.match(error.message, /it exited with code 3\); /);
    assert.match(error.message, new RegExp(`rolled back to ${slotFor('version 1')}, which is running; `));
    return true;
  });
  await assertRunsOld(given, 'version 1');
  const { before, after } = await roll(given, 'version 3');
  assert.match(JSON.stringify(before), new RegExp(`slot is ${slotFor('version 1')}, expected ${slotFor('version 3')}`));
  assert.deepEqual(after, { state: 'current' });
});

test('invalid agent arguments are rolled back with the property list', async () => {
  const version = 'version 1 exits with 64 given --disable-vm-gc';
  const given = await runningAgent(version);
  const list = listOf(given);
  await assert.rejects(
    roll(given, version, { arguments: builderArguments }),
    /exited with code 64\); it was rolled back/,
  );
  assert.equal(listOf(given), list);
  await assertRunsOld(given, version);
  assert.doesNotMatch(await asRoot(given, 'ps -axo command='), /disable-vm-gc/);
});

test('a failing agent on a fresh host is not rolled back, and launchd keeps retrying', async () => {
  const given = agentHost();
  await assert.rejects(roll(given, 'exits with 1'), /no previous version to roll back to, it was left in place/);
  assert.match(await asRoot(given, `launchctl print system/${AGENT_LABEL}`), /state = (spawn scheduled|running)/);
});

test('an agent that exits long after its rollout is not rolled back', async () => {
  const given = await runningAgent('version 1');
  await roll(given, 'version 2');
  await given.clock.advance(seconds(3_600));
  given.faults.add({
    kind: 'process',
    detail: `launchd ${AGENT_LABEL}`,
    fault: { type: 'fail', code: 9, message: '' },
  });
  await asRoot(given, 'killall tart-kubelet');
  await assert.rejects(roll(given, 'version 2'), /exited with code 9\); it was left in place/);
  assert.equal(current(given), slotFor('version 2'));
});

test('I18 a kickstart without effect is detected by the process age and repeated', async () => {
  const given = await runningAgent('version 1');
  kickstartDoesNothing(given, 1);
  const pid = await agentPid(given);
  const { after, notes } = await roll(given, 'version 2');
  assert.deepEqual(after, { state: 'current' });
  assert.notEqual(await agentPid(given), pid);
  assert.match(notes[1] ?? '', /was started before \w+ became current: restarted it/);
});

test('I18 a rollout without effect is not recorded: the old process and its link stay', async () => {
  const given = await runningAgent('version 1');
  const pid = await agentPid(given);
  kickstartDoesNothing(given, 9);
  await assert.rejects(
    roll(given, 'version 2'),
    new RegExp(`rolled back to ${slotFor('version 1')}, which is running`),
  );
  assert.equal(await agentPid(given), pid);
  given.faults.clear();
  assert.deepEqual((await roll(given, 'version 2')).after, { state: 'current' });
});

test('I19 a kill for the code signature is fixed by signing again, once', async () => {
  const given = await runningAgent('version 1');
  launchdOf(given.mac).settings.pinsPrograms = true;
  await asRoot(given, `launchctl kickstart -k system/${AGENT_LABEL}`);
  const { after, notes } = await roll(given, 'version 2');
  assert.deepEqual(after, { state: 'current' });
  assert.match(notes[1] ?? '', /killed it for its code signature \(OS_REASON_CODESIGNING\): signed it again/);
  assert.deepEqual((await roll(given, 'version 2')).before, { state: 'current' });
});

test('I19 an agent overwritten in place by another process is uploaded again and runs', async () => {
  const given = await runningAgent('version 1');
  const path = `/usr/local/lib/tart-kubelet/${slotFor('version 1')}/tart-kubelet`;
  given.mac.files.write(given.root, path, machO('something else'));
  await asRoot(given, `launchctl kickstart -k system/${AGENT_LABEL}`);
  await given.clock.advance(seconds(5));
  assert.match(await asRoot(given, `launchctl print system/${AGENT_LABEL}`), /OS_REASON_CODESIGNING/);
  assert.deepEqual((await roll(given, 'version 1')).after, { state: 'current' });
});

test('I19 an agent overwritten during the run is not signed, and the next run uploads it again', async () => {
  const given = await runningAgent('version 1');
  const { mac, root } = given;
  const path = `/usr/local/lib/tart-kubelet/${slotFor('version 1')}/tart-kubelet`;
  const ours = mac.files.read(root, path);
  mac.files.write(root, path, machO('something else'));
  await asRoot(given, `launchctl kickstart -k system/${AGENT_LABEL}`);
  await assert.rejects(rollSent(given, 'version 1'), { code: 'HOST_AGENT_PROGRAM_REPLACED', retry: 'backoff' });
  assert.deepEqual(mac.files.read(root, path), machO('something else'));
  assert.deepEqual((await roll(given, 'version 1')).after, { state: 'current' });
  assert.deepEqual(mac.files.read(root, path), ours);
});

/** Host as left by the previous system: a plain file with its own property list. */
async function olderHost(): Promise<TestHost> {
  const given = agentHost();
  const { mac, root } = given;
  mac.files.makeDirectory(root, '/usr/local/bin', { parents: true });
  mac.files.write(root, AGENT_COMMAND, machO('older'), { mode: 0o755 });
  const body = `<key>Label</key><string>${AGENT_LABEL}</string><key>ProgramArguments</key><array><string>${AGENT_COMMAND}</string></array>`;
  mac.files.write(root, PLIST, `<plist version="1.0"><dict>${body}<key>KeepAlive</key><true/></dict></plist>\n`);
  await asRoot(given, `launchctl bootstrap system ${PLIST}`);
  await given.clock.advance(seconds(60));
  return given;
}

test('I19 an agent installed as a plain file is replaced by a link, and its inode is never written to', async () => {
  const given = await olderHost();
  const { inode } = given.mac.files.stat(given.root, AGENT_COMMAND);
  const { before, after } = await roll(given, 'version 2');
  assert.match(JSON.stringify(before), /tart-kubelet is a file, expected a link to the current slot/);
  assert.deepEqual(after, { state: 'current' });
  assert.notEqual(given.mac.files.stat(given.root, AGENT_COMMAND).inode, inode);
});

test('a failed rollout rolls back to an agent installed as a plain file', async () => {
  const given = await olderHost();
  const list = listOf(given);
  await assert.rejects(roll(given, 'exits with 2'), /rolled back to \w{16}, which is running/);
  assert.equal(listOf(given), list);
  assert.deepEqual(given.mac.files.read(given.root, AGENT_COMMAND), machO('older'));
  await given.clock.advance(seconds(60));
  assert.match(await asRoot(given, `launchctl print system/${AGENT_LABEL}`), /^\tstate = running$/m);
});

test('I17 if launchd rejects the new job, the old one is bootstrapped again', async () => {
  const given = await runningAgent('version 1');
  given.faults.add({
    kind: 'process',
    detail: /^launchctl bootstrap/,
    fault: { type: 'fail', code: 5, message: 'Bootstrap failed: 5: Input/output error' },
    times: 6,
  });
  const rolling = roll(given, 'version 2', { arguments: builderArguments });
  await assert.rejects(
    rolling,
    /launchd rejected dev\.tuist\.tart-kubelet \(Bootstrap failed: 5.*rolled back to \w{16}, which is running/,
  );
  await assertRunsOld(given, 'version 1');
});

test('I17 a job that does not exit is reported, and the next run continues', async () => {
  const given = await runningAgent('version 1');
  launchdOf(given.mac).settings.departure = seconds(100);
  const rolling = roll(given, 'version 2', { arguments: builderArguments });
  await assert.rejects(rolling, (error: Error & { cause: { code: string } }) => {
    assert.equal(error.cause.code, 'HOST_JOB_NOT_GONE');
    assert.match(error.message, /still holds dev\.tuist\.tart-kubelet 30s after bootout/);
    return true;
  });
  await given.clock.advance(seconds(100));
  assert.deepEqual((await roll(given, 'version 2', { arguments: builderArguments })).after, { state: 'current' });
});

test('a full disk fails the agent rollout before anything is changed', async () => {
  const given = await runningAgent('version 1');
  const pid = await agentPid(given);
  given.faults.add({
    kind: 'file write',
    detail: /LaunchDaemons/,
    fault: { type: 'fail', code: 1, message: 'ENOSPC' },
  });
  const rolling = roll(given, 'version 2', { arguments: builderArguments });
  await assert.rejects(rolling, { code: 'HOST_DISK_FULL' });
  assert.equal(await agentPid(given), pid);
  assert.equal(current(given), slotFor('version 1'));
});

test('a failing version is rolled back even if the caller was killed after the switch', async () => {
  const given = await runningAgent('version 1');
  // The sending, the look, the roll; then the connection is lost for good.
  const rolling = roll(given, 'exits with 7');
  await given.clock.advance(seconds(3));
  given.faults.add({ kind: 'command', fault: { type: 'drop', when: 'before' } });
  await assert.rejects(rolling, { code: 'HOST_CONNECTION_LOST' });
  given.faults.clear();
  assert.equal(current(given), slotFor('exits with 7'));
  await assert.rejects(
    roll(given, 'exits with 7'),
    new RegExp(`rolled back to ${slotFor('version 1')}, which is running`),
  );
});
