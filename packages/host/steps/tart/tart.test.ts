import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { execute, m1, machO, macParts, processesOf, tartArchive, tartPart } from '@minifleet/world/mac';
import { planStep } from '../../engine/step.ts';
import type { Artifact } from '../../host.ts';
import { convergeStep, type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { asRoot } from '../agent-job/testing/agent-host.ts';
import { TART_APP, TART_PROGRAM, tart } from './tart.ts';

// Nothing is written there: only a guest would need it.
const directory = mkdtempSync(join(tmpdir(), 'minifleet-tart-step-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const tartHost = (): TestHost => testHost({ parts: [tartPart(directory), ...macParts] });

let opened = 0;
const artifactOf = (content: Buffer): Artifact => ({
  name: 'tart.tar.gz',
  sha256: createHash('sha256').update(content).digest('hex'),
  async *open() {
    opened += 1;
    // As a stream does: in pieces.
    for (let at = 0; at < content.length; at += 100) yield content.subarray(at, at + 100);
  },
});
const step = (version = '2.32.1', archive = artifactOf(tartArchive(version))) => planStep(tart, { version, archive });
const converge = (given: TestHost, planned = step()) => convergeStep(given.host, planned);
const startVm = ({ mac }: TestHost): unknown =>
  processesOf(mac).start({ argv: [TART_PROGRAM, 'run', 'pod-1-0', '--no-graphics'], user: m1, session: 'launchd' });
const said = async (given: TestHost): Promise<string> =>
  (await execute(given.mac, '/usr/local/bin/tart --version', { user: m1 })).out;

test('I35 a fresh Mac gets the Tart bundle, which runs through its wrapper', async () => {
  const given = tartHost();
  const { before, after: then, notes } = await converge(given);
  assert.deepEqual(before, {
    state: 'drift',
    disturbs: 'nothing',
    differences: ['Tart is not installed, expected 2.32.1', '/usr/local/bin/tart is missing'],
  });
  assert.deepEqual([then, notes], [{ state: 'current' }, ['installed Tart 2.32.1']]);
  assert.equal(await said(given), '2.32.1\n');
  const rights = await asRoot(given, `stat -f '%Su:%Sg %Lp %HT' /usr/local/bin/tart ${TART_PROGRAM}`);
  assert.equal(rights, 'root:wheel 755 Regular File\nroot:wheel 755 Regular File\n');
  assert.deepEqual(given.mac.files.list(given.root, '/usr/local/lib'), ['tart.app', 'tart.app.origin']);
  assert.deepEqual(given.journal.gaps, []);
});

test('tart: a converged host is unchanged, nothing is sent, and its inspection takes one round trip', async () => {
  const given = tartHost();
  await converge(given);
  const asked = given.transport.roundTrips;
  opened = 0;
  assert.deepEqual((await converge(given)).before, { state: 'current' });
  assert.equal(given.transport.roundTrips - asked, 1);
  assert.equal(opened, 0);
});

test('another Tart version is installed only while no VM runs', async () => {
  const given = tartHost();
  await converge(given, step('2.30.0'));
  const idle = await step().inspect(given.host);
  assert.deepEqual(idle, { state: 'drift', differences: ['Tart is 2.30.0, expected 2.32.1'], disturbs: 'new VMs' });
  startVm(given);
  const busy = await step().inspect(given.host);
  assert.equal(busy.state === 'drift' && busy.disturbs, 'running VMs');
  // A VM that was started between the look and the change.
  await assert.rejects(step().change(given.host, idle), { code: 'HOST_TART_IN_USE' });
  assert.equal(await said(given), '2.30.0\n');
  await asRoot(given, 'pkill -f "tart run"');
  assert.deepEqual((await converge(given)).notes, ['installed Tart 2.32.1, replacing 2.30.0']);
  assert.equal(await said(given), '2.32.1\n');
});

test('Tart is replaced under running VMs if the caller allows it', async () => {
  const given = tartHost();
  await converge(given, step('2.30.0'));
  startVm(given);
  assert.deepEqual((await converge(given)).after, { state: 'current' });
});

test('a modified Tart, a lost record and a broken wrapper are repaired', async () => {
  const damages: readonly (readonly [string, RegExp])[] = [
    [`printf x >> ${TART_PROGRAM}`, /does not run/],
    [`cp ${TART_PROGRAM} /tmp/t; printf ' ' >> /tmp/t; mv /tmp/t ${TART_PROGRAM}`, /modified after it was unpacked/],
    [`rm ${TART_APP}.origin`, /not from the expected archive/],
    [`rm -rf ${TART_APP}/Contents/MacOS`, /Tart is not installed/],
    [`chmod 644 ${TART_PROGRAM}`, /does not run/],
    ['rm /usr/local/bin/tart', /usr\/local\/bin\/tart is missing/],
    [`rm /usr/local/bin/tart; ln -s ${TART_PROGRAM} /usr/local/bin/tart`, /is a link, expected a script/],
    ['echo exit 0 > /usr/local/bin/tart', /does not run Tart from its bundle/],
    ['chmod 700 /usr/local/bin/tart', /is not owned by root with mode 0755/],
  ];
  for (const [damage, words] of damages) {
    const given = tartHost();
    await converge(given);
    await asRoot(given, damage);
    const { before, after: then } = await converge(given);
    assert.match(JSON.stringify(before), words);
    assert.deepEqual(then, { state: 'current' }, damage);
    assert.equal(await said(given), '2.32.1\n');
    assert.deepEqual(given.journal.gaps, []);
  }
});

test('repairing the Tart wrapper disturbs nothing while VMs run', async () => {
  const given = tartHost();
  await converge(given);
  startVm(given);
  await asRoot(given, 'rm /usr/local/bin/tart');
  const finding = await step().inspect(given.host);
  assert.equal(finding.state === 'drift' && finding.disturbs, 'nothing');
  assert.deepEqual((await converge(given)).notes, []);
});

test('an invalid Tart archive or another version is an error, and the old one stays', async () => {
  const archives: readonly (readonly [Buffer, RegExp])[] = [
    [tartArchive('2.31.0'), /it contains version 2\.31\.0/],
    [gzipSync(Buffer.alloc(1_024)), /contains no tart\.app/],
    [Buffer.from('no archive at all'), /contains no tart\.app/],
  ];
  for (const [content, words] of archives) {
    const given = tartHost();
    await converge(given, step('2.30.0'));
    await assert.rejects(converge(given, step('2.32.1', artifactOf(content))), words);
    assert.equal(await said(given), '2.30.0\n');
    assert.deepEqual((await converge(given)).after, { state: 'current' });
  }
});

test('a Tart bundle left aside by an interrupted swap is restored or replaced', async () => {
  const given = tartHost();
  await converge(given, step('2.30.0'));
  await asRoot(given, `mv ${TART_APP} /usr/local/lib/tart.minifleet-old`);
  await assert.rejects(converge(given, step('2.32.1', artifactOf(tartArchive('2.31.0')))), /it contains version/);
  assert.equal(await said(given), '2.30.0\n');
  assert.deepEqual((await converge(given)).after, { state: 'current' });
});

test('on a full disk the installed Tart stays and the error is HOST_DISK_FULL', async () => {
  const given = tartHost();
  await converge(given, step('2.30.0'));
  for (const detail of [/tart\.tar\.gz/, /tart\.minifleet-new/]) {
    given.faults.add({ kind: 'file write', detail, fault: { type: 'fail', code: 1, message: 'ENOSPC' } });
    await assert.rejects(converge(given), { code: 'HOST_DISK_FULL' });
    given.faults.clear();
    assert.equal(await said(given), '2.30.0\n');
  }
});

test('an unsigned Tart is rejected before it is installed', async () => {
  const given = tartHost();
  await converge(given, step('2.30.0'));
  await asRoot(given, 'mkdir -p /tmp/a/tart.app/Contents/MacOS');
  given.mac.files.write(given.root, '/tmp/a/tart.app/Contents/MacOS/tart', machO('bare', { signed: false }), {
    mode: 0o755,
  });
  await asRoot(given, 'cd /tmp/a; tar -czf /tmp/bare.tar.gz tart.app');
  const bare = artifactOf(given.mac.files.read(given.root, '/tmp/bare.tar.gz'));
  await assert.rejects(converge(given, step('2.32.1', bare)), { code: 'HOST_TART_ARCHIVE_UNUSABLE' });
  assert.equal(await said(given), '2.30.0\n');
});

test('a Tart install killed at any command converges without a second upload', async () => {
  const make = async () => {
    const given = tartHost();
    await converge(given, step('2.30.0'));
    await asRoot(given, 'rm /usr/local/bin/tart');
    return { given, steps: [step()] };
  };
  assert.equal(await killedAtEveryCommand(make), 6);
});
