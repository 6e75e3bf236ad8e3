import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { testHost } from '../../testing/index.ts';
import { BLOCK } from './pf-conf.ts';
import {
  breaches,
  byHand,
  filtered,
  install,
  pfOf,
  read,
  startInternetSharing,
  takeOff,
  WANT,
} from './testing/egress-host.ts';

test('a fresh Mac filters guests at once: only the internet is reachable', async () => {
  const given = testHost();
  const stock = read(given, '/etc/pf.conf');
  const { before, after, notes } = await install(given);
  assert.deepEqual(before, {
    state: 'drift',
    differences: [
      '/etc/pf.anchors/tuist.runners is missing',
      'no rules are loaded in anchor com.apple/tuist.runners',
      'no rules are loaded in anchor tuist.runners',
      'pf is disabled, expected enabled',
      'Minifleet holds no pf reference',
      'pf.conf contains the block 0 times, expected once',
      '/usr/local/bin/tuist-pf-runners is missing',
      '/Library/LaunchDaemons/dev.tuist.pfctl-runners.plist is missing',
      'launchd has no job dev.tuist.pfctl-runners',
    ],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(notes, [
    'wrote /etc/pf.anchors/tuist.runners',
    'wrote /etc/pf.conf',
    'wrote /usr/local/bin/tuist-pf-runners',
    'loaded the job dev.tuist.pfctl-runners into launchd',
  ]);
  assert.equal(read(given, '/etc/pf.conf'), stock + BLOCK);
  assert.deepEqual(breaches(given), []);
  assert.deepEqual(given.journal.gaps, []);
});

test('vm-egress: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const given = testHost();
  await install(given);
  const asked = given.transport.roundTrips;
  assert.deepEqual(await install(given), { before: { state: 'current' }, after: { state: 'current' }, notes: [] });
  assert.equal(given.transport.roundTrips, asked + 1);
});

test('pf.conf is never loaded as a whole on a host with foreign rules', async () => {
  const given = testHost();
  startInternetSharing(given.mac);
  assert.deepEqual((await install(given)).after, { state: 'current' });
  assert.deepEqual(breaches(given), []);
  const loads = given.journal.entries.filter(({ what }) => what === 'pf load').map(({ detail }) => detail);
  assert.ok(loads.length > 0 && loads.every(detail => detail.includes('tuist.runners into')), loads.join('\n'));
});

test('after a reboot guests are filtered before the first login', async () => {
  const given = testHost();
  await install(given);
  const asked = given.transport.roundTrips;
  const rebooted = given.mac.reboot();
  await given.clock.advance(seconds(40));
  await rebooted;
  assert.deepEqual(breaches(given), []);
  assert.equal(given.transport.roundTrips, asked);
  assert.deepEqual((await install(given)).before, { state: 'current' });
  assert.deepEqual(given.journal.gaps, []);
});

test('after a reboot the block in pf.conf alone filters once pf is enabled', async () => {
  const given = testHost();
  await install(given);
  await byHand(given, 'rm /Library/LaunchDaemons/dev.tuist.pfctl-runners.plist');
  const rebooted = given.mac.reboot();
  await given.clock.advance(seconds(40));
  await rebooted;
  assert.equal(filtered(given), false);
  await byHand(given, 'pfctl -E');
  assert.deepEqual(breaches(given), []);
});

test('exactly one pf reference is held, independent of other references', async () => {
  const given = testHost();
  await byHand(given, 'pfctl -E 2>&1 | sed -n "s/^Token : //p" > /tmp/theirs');
  await install(given);
  await install(given, { ...WANT, allow: [] });
  await given.clock.advance(seconds(300));
  assert.equal(pfOf(given.mac).tokens.size, 2);
  await byHand(given, 'pfctl -X "$(cat /tmp/theirs)"');
  assert.equal(filtered(given), true);
});

test('the host restores flushed rules or a stopped pf within a minute, without log output', async () => {
  for (const damage of ['pfctl -a com.apple/tuist.runners -F rules', 'pfctl -d']) {
    const given = testHost();
    await install(given);
    await byHand(given, damage);
    await given.clock.advance(seconds(61));
    assert.deepEqual(breaches(given), [], damage);
    assert.equal(read(given, '/var/log/tuist-pfctl-runners.log'), '');
  }
});

test('a changed egress exception takes five round trips and no launchd reload', async () => {
  const given = testHost();
  await install(given);
  const asked = given.transport.roundTrips;
  const { after, notes } = await install(given, { ...WANT, allow: [] });
  assert.deepEqual(notes, ['wrote /etc/pf.anchors/tuist.runners']);
  assert.deepEqual(after, { state: 'current' });
  assert.equal(given.transport.roundTrips - asked, 5);
  assert.match(
    breaches(given).join('\n'),
    /^not reached: .*"10.100.0.1".*\nnot reached: .*"10.96.0.10".*\nnot reached/,
  );
});

test('removing the egress firewall leaves nothing, and setup filters again', async () => {
  const given = testHost();
  const stock = read(given, '/etc/pf.conf');
  assert.deepEqual((await takeOff(given)).before, { state: 'current' });
  await install(given);
  const { before, after, notes } = await takeOff(given);
  assert.equal(before.state === 'drift' && before.differences.length, 8);
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(notes, ['wrote /etc/pf.conf', 'removed the VM egress firewall']);
  assert.equal(read(given, '/etc/pf.conf'), stock);
  const pf = pfOf(given.mac);
  assert.deepEqual([pf.enabled, pf.tokens.size, [...pf.rulesets.keys()].join()], [false, 0, ',com.apple']);
  assert.deepEqual((await install(given)).after, { state: 'current' });
  assert.deepEqual(breaches(given), []);
  assert.deepEqual(given.journal.gaps, []);
});

test('removing the egress firewall keeps pf running for other holders', async () => {
  const given = testHost();
  await byHand(given, 'pfctl -E');
  await install(given);
  await takeOff(given);
  assert.deepEqual([pfOf(given.mac).enabled, pfOf(given.mac).tokens.size], [true, 1]);
});
