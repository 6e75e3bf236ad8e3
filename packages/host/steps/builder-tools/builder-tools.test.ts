import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brew, installHomebrew } from '@minifleet/world/testing';
import { homebrewOf, m1, processesOf } from '@minifleet/world/testing/mac';
import { type PlannedStep, planRemoval, planStep } from '../../engine/step.ts';
import { type ConvergedStep, convergeStep, passTime, type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { BREW } from '../homebrew/homebrew.ts';
import { builderTools } from './builder-tools.ts';

const packer = { name: 'hashicorp/tap/packer', version: '1.14.2', pinned: true };
const formulae = [packer, { name: 'crane', pinned: false }, { name: 'oras', pinned: false }];
const step = planStep(builderTools, { formulae });
const off = planRemoval(builderTools);

function brewed(): TestHost {
  const made = testHost();
  installHomebrew(made.mac, brew);
  return made;
}

const converge = (made: TestHost, planned: PlannedStep): Promise<ConvergedStep> =>
  passTime(made.clock, convergeStep(made.host, planned));

const brewing = (made: TestHost, ...words: readonly string[]): Promise<string> =>
  passTime(made.clock, made.host.must([BREW, ...words]));

/** Sets the version that the tap offers. */
function offer(made: TestHost, name: string, version: string): void {
  const formula = homebrewOf(made.mac).formulae.get(name);
  assert.ok(formula);
  formula.version = version;
}

test('a fresh Homebrew gets the tools, and Packer is pinned', async () => {
  const made = brewed();
  const { before, after } = await converge(made, step);
  assert.deepEqual(before, {
    state: 'drift',
    disturbs: 'nothing',
    differences: [
      'packer is not installed',
      'crane is not installed',
      'oras is not installed',
      'packer is not pinned, so the next brew upgrade replaces it',
    ],
  });
  assert.equal(after.state, 'current');
  assert.equal(await brewing(made, 'list', '--versions'), 'crane 0.20.6\noras 1.3.0\npacker 1.14.2\n');
  assert.equal(await brewing(made, 'list', '--pinned'), 'packer\n');
  const sent = made.transport.roundTrips;
  assert.equal((await converge(made, step)).before.state, 'current');
  assert.equal(made.transport.roundTrips - sent, 1);
  assert.deepEqual(made.journal.gaps, []);
});

test('I26 brew upgrade leaves a pinned Packer and its permission alone', async () => {
  const made = brewed();
  await converge(made, step);
  offer(made, 'packer', '1.14.3');
  await made.host.run([BREW, 'upgrade']);
  assert.equal((await converge(made, step)).before.state, 'current');
});

test('a new host gets a later Packer than the minimum, and pins that one', async () => {
  const made = brewed();
  offer(made, 'packer', '1.15.3');
  assert.equal((await converge(made, step)).after.state, 'current');
  assert.equal(await brewing(made, 'list', '--versions', 'packer'), 'packer 1.15.3\n');
  assert.equal(await brewing(made, 'list', '--pinned'), 'packer\n');
});

test('a Packer that Homebrew does not offer yet is an error, and nothing is changed', async () => {
  const made = brewed();
  offer(made, 'packer', '1.14.1');
  await assert.rejects(converge(made, step), {
    code: 'HOST_FORMULA_UNAVAILABLE',
    message: /packer 1\.14\.2 or later is unavailable \(Homebrew offers 1\.14\.1, installed is none\); set the version/,
  });
  assert.equal(await brewing(made, 'list', '--versions'), '');
});

test('raising the minimum upgrades older hosts and never replaces a newer Packer', async () => {
  const raised = planStep(builderTools, { formulae: [{ ...packer, version: '1.15.0' }] });
  const older = brewed();
  const newer = brewed();
  for (const [made, version] of [
    [older, '1.14.2'],
    [newer, '1.16.0'],
  ] as const) {
    offer(made, 'packer', version);
    await converge(made, planStep(builderTools, { formulae: [packer] }));
    offer(made, 'packer', '1.17.0');
  }
  const { before, after } = await converge(older, raised);
  assert.deepEqual(before.state === 'drift' && before.differences[0], 'packer is 1.14.2, expected 1.15.0 or later');
  assert.equal(after.state, 'current');
  assert.equal(await brewing(older, 'list', '--versions', 'packer'), 'packer 1.17.0\n');
  assert.equal((await converge(newer, raised)).before.state, 'current');
  assert.equal(await brewing(newer, 'list', '--versions', 'packer'), 'packer 1.16.0\n');
});

test('I26 a Packer that another process upgraded is reported, kept and pinned', async () => {
  const made = brewed();
  await converge(made, step);
  offer(made, 'packer', '1.14.3');
  await brewing(made, 'unpin', 'packer');
  await brewing(made, 'upgrade');
  const { before, after, notes } = await converge(made, step);
  const replaced =
    'packer 1.14.2 was replaced by 1.14.3, which has no Local Network permission that was clicked for 1.14.2';
  assert.deepEqual(before, { state: 'drift', disturbs: 'nothing', differences: [replaced] });
  assert.deepEqual([after.state, notes], ['current', [replaced]]);
  assert.equal(await brewing(made, 'list', '--versions', 'packer'), 'packer 1.14.3\n');
  assert.equal(await brewing(made, 'list', '--pinned'), 'packer\n');
  assert.equal((await converge(made, off)).after.state, 'current');
  assert.equal(made.mac.files.exists(made.root, '/opt/homebrew/etc/minifleet-builder-tools'), false);
});

for (const argv of [
  ['/opt/homebrew/bin/packer', 'build', 'runner.pkr.hcl'],
  ['/usr/local/bin/tart', 'push', 'tuist-runner', 'ghcr.io/acme/runner:1'],
  ['/opt/actions-runner/bin/Runner.Worker', 'spawnclient', '111', '114'],
])
  test(`no tool is upgraded under ${argv.slice(0, 2).join(' ')}, even if it started after the inspection`, async () => {
    const made = brewed();
    offer(made, 'packer', '1.14.1');
    await converge(made, planStep(builderTools, { formulae: [{ ...packer, version: '1.14.1' }] }));
    offer(made, 'packer', '1.14.2');
    const idle = await step.inspect(made.host);
    const { pid } = processesOf(made.mac).start({ argv, user: m1, session: 'aqua' });
    const busy = await step.inspect(made.host);
    const disturbs = [idle, busy].map(finding => finding.state === 'drift' && finding.disturbs);
    assert.deepEqual(disturbs, ['new VMs', 'running VMs']);
    await assert.rejects(step.change(made.host, idle), { code: 'HOST_TOOLS_IN_USE' });
    assert.equal(await brewing(made, 'list', '--versions', 'packer'), 'packer 1.14.1\n');
    processesOf(made.mac).end(pid, { code: 0 });
    assert.equal((await converge(made, step)).after.state, 'current');
  });

test('a failed tool upgrade keeps the pin', async () => {
  const made = brewed();
  offer(made, 'packer', '1.14.1');
  await converge(made, planStep(builderTools, { formulae: [{ ...packer, version: '1.14.1' }] }));
  offer(made, 'packer', '1.14.2');
  const fault = { type: 'fail', code: 1, message: 'Error: Download failed' } as const;
  made.faults.add({ kind: 'process', detail: /brew reinstall/, fault, times: 1 });
  await assert.rejects(converge(made, step), { code: 'HOST_COMMAND_FAILED', message: /Download failed/ });
  assert.equal(await brewing(made, 'list', '--pinned'), 'packer\n');
  assert.equal(await brewing(made, 'list', '--versions', 'packer'), 'packer 1.14.1\n');
  assert.equal((await converge(made, step)).after.state, 'current');
});

test('builder tools without Homebrew are an error that names the homebrew step', async () => {
  const made = testHost();
  await assert.rejects(converge(made, step), { code: 'HOST_HOMEBREW_MISSING', message: /step homebrew/ });
  assert.equal((await converge(made, off)).before.state, 'current');
});

test('removing builder tools uninstalls only tools installed by Minifleet', async () => {
  const made = brewed();
  await brewing(made, 'install', 'crane');
  await brewing(made, 'install', 'hashicorp/tap/packer');
  await converge(made, step);
  const { before, after, notes } = await converge(made, off);
  assert.deepEqual(before.state === 'drift' && before.differences, [
    'oras is installed by Minifleet, expected removal',
    'packer is pinned by Minifleet, expected unpinned',
  ]);
  assert.equal(after.state, 'current');
  assert.deepEqual(notes, ['uninstalled oras', 'unpinned packer']);
  assert.equal(await brewing(made, 'list', '--versions'), 'crane 0.20.6\npacker 1.14.2\n');
  const sent = made.transport.roundTrips;
  assert.equal((await converge(made, off)).before.state, 'current');
  assert.equal(made.transport.roundTrips - sent, 1);
  assert.equal((await converge(made, step)).after.state, 'current');
  assert.deepEqual(made.journal.gaps, []);
});

test('a tool no longer required is uninstalled if Minifleet installed it', async () => {
  const made = brewed();
  await converge(made, step);
  const { after } = await converge(made, planStep(builderTools, { formulae: [packer] }));
  assert.equal(after.state, 'current');
  assert.equal(await brewing(made, 'list', '--versions'), 'packer 1.14.2\n');
});

test('builder-tools: setup and removal resume after a connection lost at any command', async () => {
  await killedAtEveryCommand(() => ({ given: brewed(), steps: [step] }));
  const make = async () => {
    const made = brewed();
    await converge(made, step);
    return made;
  };
  await killedAtEveryCommand(async () => ({ given: await make(), steps: [off] }));
});
