import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause, seconds } from '@minifleet/clock';
import { machO, macParts } from '@minifleet/world/mac';
import { planRemoval, planStep } from '../../engine/step.ts';
import { convergeStep, passTime, type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { asRoot } from '../agent-job/testing/agent-host.ts';
import { type LogRotationSettings, logRotation } from './log-rotation.ts';

const LOG = '/var/log/tart-kubelet.log';
const LABEL = 'dev.minifleet.log-rotation';
const want: LogRotationSettings = { files: [LOG, '/var/log/other log'], maxBytes: 100, keep: 2 };
const step = (more: Partial<LogRotationSettings> = {}) => planStep(logRotation, { ...want, ...more });
const off = planRemoval({ ...logRotation, removal: logRotation.removal ?? assert.fail() });
const converge = (given: TestHost, planned = step()) => passTime(given.clock, convergeStep(given.host, planned));
const read = ({ mac, root }: TestHost, path: string): string => mac.files.read(root, path).toString();

async function rotating(): Promise<TestHost> {
  const given = testHost();
  await converge(given);
  return given;
}

test('a fresh Mac gets the log rotation job, which runs without existing logs', async () => {
  const given = testHost();
  const { before, after } = await converge(given);
  assert.deepEqual(before, {
    state: 'drift',
    differences: [
      '/usr/local/libexec/minifleet-rotate-logs is missing',
      `/Library/LaunchDaemons/${LABEL}.plist is missing`,
      `launchd has no job ${LABEL}`,
    ],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.match(await asRoot(given, `launchctl print system/${LABEL}`), /runs = 1\n\tlast exit code = 0/);
  assert.deepEqual(given.journal.gaps, []);
});

test('log-rotation: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const given = await rotating();
  const asked = given.transport.roundTrips;
  const { before, notes } = await converge(given);
  assert.deepEqual([before, notes], [{ state: 'current' }, []]);
  assert.equal(given.transport.roundTrips - asked, 1);
});

test('an oversized log is copied and truncated in place, so that its writer continues', async () => {
  const given = testHost({
    parts: [
      () => ({
        load: ({ content }) =>
          content.includes('chatty')
            ? async run => {
                for (let line = 1; !run.signal.aborted; line++) {
                  run.out(`line ${line} ${'x'.repeat(40)}\n`);
                  await pause(run.mac.around.clock, seconds(300), run.signal);
                }
                return 0;
              }
            : undefined,
      }),
      ...macParts,
    ],
  });
  const { mac, root, clock, journal } = given;
  mac.files.makeDirectory(root, '/usr/local/bin', { parents: true });
  mac.files.write(root, '/usr/local/bin/chatty', machO('chatty'), { mode: 0o755 });
  const keys = `<key>Label</key><string>chatty</string><key>Program</key><string>/usr/local/bin/chatty</string><key>RunAtLoad</key><true/>`;
  mac.files.write(
    root,
    '/tmp/chatty.plist',
    `<plist version="1.0"><dict>${keys}<key>StandardOutPath</key><string>${LOG}</string></dict></plist>`,
  );
  await asRoot(given, 'launchctl bootstrap system /tmp/chatty.plist');
  const { inode } = mac.files.stat(root, LOG);
  await converge(given);
  await clock.advance(seconds(901));
  assert.match(read(given, `${LOG}.1`), /^line 1 x+\nline 2 x+\nline 3 x+\n(line 4 x+\n)?$/);
  const emptied = mac.files.stat(root, LOG);
  assert.equal(emptied.inode, inode);
  await clock.advance(seconds(600));
  assert.match(read(given, LOG), /^line [45] x+\n/);
  for (let turn = 0; turn < 6; turn++) await clock.advance(seconds(900));
  assert.deepEqual(
    mac.files.list(root, '/var/log').filter(name => name.startsWith('tart-kubelet')),
    ['tart-kubelet.log', 'tart-kubelet.log.1', 'tart-kubelet.log.2'],
  );
  assert.ok(mac.files.stat(root, LOG).size < 400);
  assert.deepEqual(journal.gaps, []);
});

test('a very large log is rotated at once', async () => {
  const given = await rotating();
  given.mac.files.write(given.root, LOG, 'y'.repeat(1_000));
  const { before, after } = await converge(given);
  assert.deepEqual(before, { state: 'drift', differences: [`${LOG} has 1000 bytes, expected at most 100`] });
  assert.deepEqual(after, { state: 'current' });
  assert.equal(read(given, LOG), '');
  assert.equal(read(given, `${LOG}.1`).length, 1_000);
});

test('on a full disk old lines are dropped and the log is truncated', async () => {
  const given = await rotating();
  given.mac.files.write(given.root, LOG, 'y'.repeat(1_000));
  given.faults.add({
    kind: 'file write',
    detail: /minifleet-part$/,
    fault: { type: 'fail', code: 1, message: 'ENOSPC' },
  });
  assert.deepEqual((await converge(given)).after, { state: 'current' });
  assert.equal(read(given, LOG), '');
});

test('changed limits, program and job of log rotation are repaired', async () => {
  const damages: readonly (readonly [string, RegExp])[] = [
    ['echo exit 1 > /usr/local/libexec/minifleet-rotate-logs', /is not the expected file/],
    ['chmod 644 /usr/local/libexec/minifleet-rotate-logs', /not owned by root with mode 0755/],
    [`rm /Library/LaunchDaemons/${LABEL}.plist`, /plist is missing/],
    [`chmod 666 /Library/LaunchDaemons/${LABEL}.plist`, /writable by other users/],
    [`launchctl disable system/${LABEL}`, /would not start at the next boot/],
    [`launchctl bootout system/${LABEL}; sleep 5`, /launchd has no job/],
  ];
  for (const [damage, words] of damages) {
    const given = await rotating();
    await asRoot(given, damage);
    const { before, after } = await converge(given);
    assert.match(JSON.stringify(before), words);
    assert.deepEqual(after, { state: 'current' }, damage);
    assert.deepEqual(given.journal.gaps, []);
  }
  const given = await rotating();
  const { before, after } = await converge(given, step({ maxBytes: 200 }));
  assert.match(JSON.stringify(before), /launchd runs dev\.minifleet\.log-rotation without 200/);
  assert.deepEqual(after, { state: 'current' });
});

test('log rotation is removed completely and can be installed again', async () => {
  const given = await rotating();
  const { before, after } = await converge(given, off);
  assert.equal(before.state === 'drift' && before.differences.length, 3);
  assert.deepEqual(after, { state: 'current' });
  const asked = given.transport.roundTrips;
  assert.deepEqual((await converge(given, off)).notes, []);
  assert.equal(given.transport.roundTrips - asked, 1);
  assert.deepEqual((await converge(given)).after, { state: 'current' });
  assert.deepEqual(given.journal.gaps, []);
});

test('setup and removal of log rotation killed at any command converge on the next run', async () => {
  assert.equal(await killedAtEveryCommand(async () => ({ given: testHost(), steps: [step()] })), 4);
  assert.equal(await killedAtEveryCommand(async () => ({ given: await rotating(), steps: [off] })), 3);
});
