import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machO } from '@minifleet/world/mac';
import { planStep } from '../../engine/step.ts';
import { type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import {
  agentArtifact,
  agentPid,
  asRoot,
  roll,
  runningAgent,
  sendAgent,
  slotFor,
} from '../agent-job/testing/agent-host.ts';
import { AGENT_HOME, agentBinary, programIn } from './agent-binary.ts';

const slots = ({ mac, root }: TestHost): string[] =>
  mac.files.list(root, AGENT_HOME).filter(name => name.length === 16);
const inodeOf = ({ mac, root }: TestHost, version: string): number =>
  mac.files.stat(root, programIn(slotFor(version))).inode;

test('I35 on a fresh Mac the agent is in a slot named by its content, signed before the rename', async () => {
  const given = testHost();
  const slot = slotFor('version 1');
  const { before, after, notes } = await sendAgent(given, 'version 1');
  assert.deepEqual(before, { state: 'drift', differences: [`tart-kubelet ${slot} is not uploaded`] });
  assert.deepEqual([after, notes], [{ state: 'current' }, [`uploaded tart-kubelet to slot ${slot}`]]);
  assert.match(await asRoot(given, `codesign -dv ${programIn(slot)} 2>&1`), /Signature=adhoc/);
  assert.equal(await asRoot(given, `stat -f '%Su:%Sg %Lp' ${programIn(slot)}`), 'root:wheel 755\n');
  assert.deepEqual(given.journal.gaps, []);
});

test('agent-binary: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const given = testHost();
  await sendAgent(given, 'version 1');
  const asked = given.transport.roundTrips;
  assert.deepEqual((await sendAgent(given, 'version 1')).before, { state: 'current' });
  assert.equal(given.transport.roundTrips - asked, 1);
});

test('I19 the running agent is not touched: another version has another inode', async () => {
  const given = await runningAgent('version 1');
  const pid = await agentPid(given);
  const inode = inodeOf(given, 'version 1');
  await sendAgent(given, 'version 2');
  assert.equal(inodeOf(given, 'version 1'), inode);
  assert.notEqual(inodeOf(given, 'version 2'), inode);
  assert.equal(await agentPid(given), pid);
});

test('the running, previous and desired agent slots are kept, older ones removed', async () => {
  const given = await runningAgent('version 1');
  await roll(given, 'version 2');
  await roll(given, 'version 3');
  assert.deepEqual(slots(given), ['version 1', 'version 2', 'version 3'].map(slotFor).sort());
  assert.deepEqual((await sendAgent(given, 'version 3')).before, { state: 'current' });
  const { notes } = await sendAgent(given, 'version 4');
  assert.deepEqual(notes[0], `removed unused agent program ${slotFor('version 1')}`);
  assert.deepEqual(slots(given), ['version 2', 'version 3', 'version 4'].map(slotFor).sort());
});

test('a modified agent, or one without signature or record, is uploaded again as a new inode', async () => {
  const program = programIn(slotFor('version 1'));
  const damages: readonly ((given: TestHost) => unknown)[] = [
    ({ mac, root }) => mac.files.write(root, program, machO('something else')),
    ({ mac, root }) => mac.files.remove(root, `${program}.origin`),
    // Changed together with its record, and unsigned: only the signature tells.
    async given => {
      given.mac.files.write(given.root, program, machO('bare', { signed: false }));
      const { sha256 } = agentArtifact('version 1');
      await asRoot(given, `printf '%s %s\\n' ${sha256} "$(shasum -a 256 <${program})" >${program}.origin`);
    },
  ];
  for (const damage of damages) {
    const given = await runningAgent('version 1');
    const inode = inodeOf(given, 'version 1');
    await damage(given);
    const { before, after, notes } = await sendAgent(given, 'version 1');
    assert.equal(before.state, 'drift');
    assert.deepEqual(after, { state: 'current' });
    assert.equal(notes.length, 1);
    assert.notEqual(inodeOf(given, 'version 1'), inode);
    assert.deepEqual(given.journal.gaps, []);
  }
});

test('old agent programs and broken uploads are removed', async () => {
  const given = await runningAgent('version 1');
  const { mac, root } = given;
  for (const name of ['0123456789abcdef', 'fedcba9876543210']) {
    mac.files.makeDirectory(root, `${AGENT_HOME}/${name}`);
    mac.files.write(root, `${AGENT_HOME}/${name}/tart-kubelet`, 'old');
  }
  mac.files.write(root, `${programIn(slotFor('version 1'))}.minifleet-part.a1b2c3`, 'half of it');
  const { before, after } = await sendAgent(given, 'version 1');
  assert.deepEqual(before, { state: 'drift', differences: ['2 unused agent programs take disk space'] });
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(mac.files.list(root, AGENT_HOME), ['current', 'roll', slotFor('version 1')].sort());
  assert.deepEqual(mac.files.list(root, `${AGENT_HOME}/${slotFor('version 1')}`), [
    'tart-kubelet',
    'tart-kubelet.origin',
  ]);
});

test('a full disk or an incomplete agent upload is an error and leaves no program', async () => {
  const faults = [
    [{ type: 'fail', code: 1, message: 'ENOSPC' }, 'HOST_DISK_FULL'],
    [{ type: 'drop', when: 'during' }, /HOST_UPLOAD_INCOMPLETE|HOST_COMMAND_FAILED/],
  ] as const;
  for (const [fault, code] of faults) {
    const given = await runningAgent('version 1');
    given.faults.add({ kind: 'file write', detail: /lib\/tart-kubelet\/\w+\/tart-kubelet\./, fault });
    await assert.rejects(sendAgent(given, 'version 2'), { code });
    assert.equal(given.mac.files.exists(given.root, programIn(slotFor('version 2'))), false);
    given.faults.clear();
    assert.deepEqual((await sendAgent(given, 'version 2')).after, { state: 'current' });
  }
});

test('agent-binary: a run killed at any command converges on the next run', async () => {
  const steps = [planStep(agentBinary, { artifact: agentArtifact('version 2') })];
  const commands = await killedAtEveryCommand(async () => ({ given: await runningAgent('version 1'), steps }));
  assert.equal(commands, 4);
});
