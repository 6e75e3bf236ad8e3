import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '@minifleet/world/mac';
import { planRemoval, planStep } from '../../engine/step.ts';
import { convergeStep, type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { guestDhcpLease } from './guest-dhcp-lease.ts';

const FILE = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default.plist';
const step = planStep(guestDhcpLease, { seconds: 600 });
const off = planRemoval(guestDhcpLease);

const write = ({ mac, root }: TestHost, body: string): void => {
  mac.files.makeDirectory(root, '/Library/Preferences/SystemConfiguration', { parents: true });
  mac.files.write(root, FILE, body);
};
const shown = async ({ mac }: TestHost): Promise<string> =>
  (await execute(mac, `plutil -convert json -o - ${FILE}`)).out;

test('a fresh Mac gets the short DHCP lease in a world-readable file', async () => {
  const given = testHost();
  const { before, after } = await convergeStep(given.host, step);
  assert.deepEqual(before, {
    state: 'drift',
    differences: ['guest DHCP leases last one day (macOS default), expected 600 s'],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.equal(await shown(given), '{"bootpd":{"DHCPLeaseTimeSecs":600}}');
  const { mode, uid, gid } = (await given.host.fileInfo(FILE)) ?? {};
  assert.deepEqual([mode, uid, gid], [0o644, 0, 0]);
  assert.deepEqual(given.journal.gaps, []);
});

test('guest-dhcp-lease: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const { host, transport } = testHost();
  await convergeStep(host, step);
  const trips = transport.roundTrips;
  assert.deepEqual((await convergeStep(host, step)).before, { state: 'current' });
  assert.equal(transport.roundTrips, trips + 1);
});

test('another DHCP lease is replaced and removed, other keys stay', async () => {
  const given = testHost();
  write(
    given,
    '<plist><dict><key>NAT</key><dict><key>Enabled</key><integer>1</integer></dict><key>bootpd</key><dict><key>DHCPLeaseTimeSecs</key><integer>86400</integer><key>other</key><true/></dict></dict></plist>',
  );
  const { before, after } = await convergeStep(given.host, step);
  assert.match(JSON.stringify(before), /last 86400 s, expected 600 s/);
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(JSON.parse(await shown(given)), {
    NAT: { Enabled: 1 },
    bootpd: { DHCPLeaseTimeSecs: 600, other: true },
  });
  assert.deepEqual((await convergeStep(given.host, off)).after, { state: 'current' });
  assert.deepEqual(JSON.parse(await shown(given)), { NAT: { Enabled: 1 }, bootpd: { other: true } });
  assert.deepEqual((await convergeStep(given.host, step)).notes, []);
  assert.deepEqual(given.journal.gaps, []);
});

test('an unreadable lease file is replaced and backed up, with a note', async () => {
  const given = testHost();
  write(given, 'damaged');
  const { after, notes } = await convergeStep(given.host, step);
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(notes, [`kept the unreadable file as ${FILE}.damaged`]);
  assert.equal(given.mac.files.read(given.root, `${FILE}.damaged`).toString(), 'damaged');
});

test('removing the DHCP lease restores the file, also after setup and removal', async () => {
  const given = testHost();
  assert.deepEqual((await convergeStep(given.host, off)).before, { state: 'current' });
  assert.equal(given.mac.files.exists(given.root, FILE), false);
  for (let round = 0; round < 2; round++) {
    assert.deepEqual((await convergeStep(given.host, step)).after, { state: 'current' });
    const { before, after } = await convergeStep(given.host, off);
    assert.match(JSON.stringify(before), /last 600 s, expected the macOS default/);
    assert.deepEqual(after, { state: 'current' });
    assert.equal(given.mac.files.exists(given.root, FILE), false);
  }
});

test('an invalid DHCP lease is rejected before anything is written', async () => {
  const given = testHost();
  for (const seconds of [0, -1, 59, 1.5, 86_401, Number.NaN])
    await assert.rejects(convergeStep(given.host, planStep(guestDhcpLease, { seconds })), {
      code: 'HOST_LEASE_INVALID',
      retry: 'untilSpecChanges',
    });
  assert.equal(given.mac.files.exists(given.root, FILE), false);
});

test('a full disk leaves the DHCP lease file unchanged', async () => {
  const given = testHost();
  write(given, '<plist><dict><key>NAT</key><dict/></dict></plist>');
  given.mac.files.reserve(given.mac.files.space.free);
  await assert.rejects(convergeStep(given.host, step), { code: 'HOST_DISK_FULL' });
  assert.equal(await shown(given), '{"NAT":{}}');
  assert.deepEqual(given.mac.files.list(given.root, '/Library/Preferences/SystemConfiguration'), [
    'com.apple.InternetSharing.default.plist',
  ]);
});

test('guest-dhcp-lease: setup and removal killed at any command converge on the next run', async () => {
  await killedAtEveryCommand(() => ({ given: testHost(), steps: [step] }));
  await killedAtEveryCommand(() => {
    const given = testHost();
    write(
      given,
      '<plist><dict><key>bootpd</key><dict><key>DHCPLeaseTimeSecs</key><integer>600</integer></dict></dict></plist>',
    );
    return { given, steps: [off] };
  });
});
