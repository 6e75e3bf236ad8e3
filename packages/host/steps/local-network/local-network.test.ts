import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { execute } from '@minifleet/world/mac';
import { planRemoval, planStep } from '../../engine/step.ts';
import { convergeStep, passTime, type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { allowListFinding, isNetwork, localNetwork } from './local-network.ts';

const addresses = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
const step = planStep(localNetwork, { addresses });
const off = planRemoval(localNetwork);
const FILE = '/var/root/Library/Preferences/com.apple.network.local-network.plist';

const converge = (given: TestHost, what = step) => passTime(given.clock, convergeStep(given.host, what));

async function reboot({ mac, clock }: TestHost): Promise<void> {
  const rebooted = mac.reboot();
  await clock.advance(seconds(60));
  await rebooted;
}

test('I26 on a fresh Mac the allow-list is written and takes effect after the next boot', async () => {
  const given = testHost();
  const { before, after } = await converge(given);
  const all = addresses.join(' ');
  assert.deepEqual(before, {
    state: 'drift',
    differences: [
      `the allow-list for Ethernet is not set, expected ${all}`,
      `the allow-list for Wi-Fi is not set, expected ${all}`,
    ],
  });
  assert.equal(after.state, 'needs reboot');
  assert.equal((await converge(given)).after.state, 'needs reboot');
  await reboot(given);
  assert.deepEqual((await converge(given)).after, { state: 'current' });
  assert.deepEqual(given.journal.gaps, []);
});

test('local-network: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const given = testHost();
  await converge(given);
  await reboot(given);
  const trips = given.transport.roundTrips;
  assert.deepEqual((await converge(given)).before, { state: 'current' });
  assert.equal(given.transport.roundTrips, trips + 1);
});

test('changed and partial Local Network allow-lists are repaired', async () => {
  const domain = 'com.apple.network.local-network';
  for (const [damage, words] of [
    [
      `defaults write ${domain} AllowedWiFiLocalNetworkAddresses -array 10.0.0.0/8`,
      /Wi-Fi is 10\.0\.0\.0\/8, expected/,
    ],
    [`defaults delete ${domain} AllowedEthernetLocalNetworkAddresses`, /Ethernet is not set, expected/],
    [`defaults write ${domain} AllowedEthernetLocalNetworkAddresses nonsense`, /Ethernet is nonsense, expected/],
    [`printf damaged > ${FILE}`, /Ethernet is not set.*Wi-Fi is not set/],
  ] as const) {
    const given = testHost();
    await converge(given);
    await reboot(given);
    await execute(given.mac, damage, { user: given.root });
    const { before, after } = await converge(given);
    assert.match(JSON.stringify(before), words);
    assert.equal(after.state, 'needs reboot');
    await reboot(given);
    assert.deepEqual((await converge(given)).after, { state: 'current' });
    assert.deepEqual(given.journal.gaps, []);
  }
});

test('the order of networks in the allow-list does not matter', async () => {
  const given = testHost();
  await converge(given);
  const turned = planStep(localNetwork, { addresses: addresses.toReversed() });
  assert.equal((await converge(given, turned)).before.state, 'needs reboot');
});

test('removing the allow-list takes effect after the next boot', async () => {
  const given = testHost();
  assert.deepEqual((await converge(given, off)).before, { state: 'current' });
  await converge(given);
  await reboot(given);
  const { before, after, notes } = await converge(given, off);
  assert.match(JSON.stringify(before), /the allow-list for Ethernet is 10\.0\.0\.0\/8 .*, expected none/);
  assert.equal(after.state, 'needs reboot');
  assert.deepEqual(notes, ['removed the Local Network allow-list']);
  await reboot(given);
  assert.deepEqual((await converge(given, off)).after, { state: 'current' });
  assert.equal((await converge(given)).after.state, 'needs reboot');
  assert.deepEqual(given.journal.gaps, []);
});

test('an invalid network is rejected before the allow-list is written', async () => {
  const given = testHost();
  for (const bad of [[], ['10.0.0.0'], ['10.0.0.0/33'], ['10.0.0.0/8', 'lan'], ['-array'], ['fd00::/129'], ['']])
    await assert.rejects(converge(given, planStep(localNetwork, { addresses: bad })), {
      code: 'HOST_ALLOW_LIST_INVALID',
      retry: 'untilSpecChanges',
    });
  assert.equal(given.mac.files.exists(given.root, FILE), false);
  assert.deepEqual(['10.0.0.0/8', '0.0.0.0/0', 'fd00::/8', '10.0.0.1/32'].map(isNetwork), [true, true, true, true]);
});

test('the allow-list is in effect if it is older than the last boot', () => {
  const lists = { Ethernet: ['10.0.0.0/8'], 'Wi-Fi': ['10.0.0.0/8'] };
  const state = (written: number | undefined) =>
    allowListFinding({ lists, written, booted: 100 }, ['10.0.0.0/8']).state;
  assert.deepEqual([99, 100, 101, undefined].map(state), ['current', 'needs reboot', 'needs reboot', 'current']);
});

test('an allow-list that cannot be written is an error', async () => {
  const given = testHost();
  given.faults.add({
    kind: 'file write',
    detail: /local-network/,
    fault: { type: 'fail', code: 1, message: 'ENOSPC' },
  });
  await assert.rejects(converge(given), { code: 'HOST_COMMAND_FAILED', message: /Could not write domain/ });
});

test('local-network: setup and removal killed at any command converge on the next run', async () => {
  await killedAtEveryCommand(() => ({ given: testHost(), steps: [step], ends: 'needs reboot' }));
  const FULL = '<plist><dict><key>AllowedWiFiLocalNetworkAddresses</key><array/></dict></plist>';
  await killedAtEveryCommand(() => {
    const given = testHost();
    given.mac.files.write(given.root, FILE, FULL);
    return { given, steps: [off], ends: 'needs reboot' };
  });
});
