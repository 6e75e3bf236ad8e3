import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installCommandLineTools, installXcode } from '@minifleet/world/testing/mac';
import { planRemoval, planStep } from '../../engine/step.ts';
import { convergeStep, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { xcode } from './xcode.ts';

const DIRECTORY = '/Applications/Xcode.app/Contents/Developer';
const step = planStep(xcode, { developerDirectory: DIRECTORY });

function host() {
  const made = testHost();
  installXcode(made.mac);
  return made;
}

test('an installed Xcode is selected, licensed and verified, then left alone', async () => {
  const { host: mini, transport, journal } = host();
  const { before, after } = await convergeStep(mini, step);
  assert.deepEqual(before, {
    state: 'drift',
    differences: [`the developer directory is not set, expected ${DIRECTORY}`, 'the Xcode license is not accepted'],
  });
  assert.equal(after.state, 'current');
  const sent = transport.roundTrips;
  assert.equal((await convergeStep(mini, step)).before.state, 'current');
  assert.equal(transport.roundTrips - sent, 1);
  assert.deepEqual(journal.gaps, []);
});

test('with Command Line Tools only, the error explains how to install Xcode', async () => {
  const { host: mini, mac, journal } = testHost();
  installCommandLineTools(mac);
  await mini.must(['xcode-select', '--switch', '/Library/Developer/CommandLineTools'], { root: true });
  assert.deepEqual(await step.inspect(mini), { state: 'drift', differences: [`no Xcode at ${DIRECTORY}`] });
  await assert.rejects(convergeStep(mini, step), { code: 'HOST_XCODE_MISSING', message: /xip --expand/ });
  assert.equal((await mini.query(['xcode-select', '-p'])).stdout, '/Library/Developer/CommandLineTools\n');
  assert.deepEqual(journal.gaps, []);
});

test('a half-copied Xcode without a compiler is not accepted', async () => {
  const { host: mini, mac, root } = host();
  mac.files.remove(root, `${DIRECTORY}/Toolchains`, { recursive: true });
  await assert.rejects(convergeStep(mini, step), {
    code: 'HOST_COMMAND_FAILED',
    message: /unable to find utility "swift"/,
  });
  const finding = await step.inspect(mini);
  assert.ok(finding.state === 'drift' && finding.differences.includes(`swift was not found in ${DIRECTORY}`));
});

test('a changed developer directory is switched back', async () => {
  const { host: mini, mac } = host();
  installCommandLineTools(mac);
  await convergeStep(mini, step);
  await mini.must(['xcode-select', '--switch', '/Library/Developer/CommandLineTools'], { root: true });
  const { before, after } = await convergeStep(mini, step);
  assert.deepEqual(before, {
    state: 'drift',
    differences: [`the developer directory is /Library/Developer/CommandLineTools, expected ${DIRECTORY}`],
  });
  assert.equal(after.state, 'current');
});

test('removing the xcode step keeps Xcode', async () => {
  const { host: mini, mac, root } = host();
  await convergeStep(mini, step);
  const { before } = await convergeStep(mini, planRemoval(xcode));
  assert.equal(before.state, 'current');
  assert.ok(mac.files.exists(root, `${DIRECTORY}/usr/bin/xcodebuild`));
});

test('xcode: a run whose connection is lost at any command resumes', async () => {
  await killedAtEveryCommand(() => ({ given: host(), steps: [step] }));
});
