import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { privateNetworkOf } from '../../private-network/networksetup.ts';
import { createTestMac } from '../../testing/test-mac.ts';
import { memoryOf } from './memory.ts';

test('the boot session id changes at each boot; the hardware id does not', async () => {
  const { run, mac, clock, journal } = createTestMac({ rebootMilliseconds: 1_000 });
  const ids = async () =>
    (await run('sysctl -n kern.bootsessionuuid; ioreg -rd1 -c IOPlatformExpertDevice | grep UUID')).out.split('\n');
  const [boot, hardware] = await ids();
  assert.match(`${boot} ${hardware}`, /^[0-9A-F-]{36} +"IOPlatformUUID" = "[0-9A-F-]{36}"$/);
  assert.deepEqual((await ids()).slice(0, 2), [boot, hardware]);
  await clock.advance(seconds(5));
  const rebooted = mac.reboot();
  await clock.advance(seconds(2));
  await rebooted;
  const [next, same] = await ids();
  assert.notEqual(next, boot);
  assert.equal(same, hardware);
  assert.deepEqual(journal.gaps, []);
});

test('vm_stat, memory_pressure and sysctl show memory use and pressure level', async () => {
  const { run, mac, journal } = createTestMac();
  const free = async () => Number(/Pages free: +(\d+)\./.exec((await run('vm_stat')).out)?.[1]);
  const before = await free();
  assert.match((await run('memory_pressure -Q')).out, /free percentage: 70%/);
  memoryOf(mac).usedBytes = 15_000_000_000;
  memoryOf(mac).pressure = 4;
  assert.ok((await free()) < before / 4);
  assert.match((await run('memory_pressure -Q')).out, /free percentage: 12%/);
  assert.equal((await run('sysctl -n kern.memorystatus_vm_pressure_level')).out, '4\n');
  assert.deepEqual(journal.gaps, []);
});

test('ifconfig shows the addresses of the Mac and of a VLAN', async () => {
  const { run, mac } = createTestMac({ address: '203.0.113.7' });
  privateNetworkOf(mac).vlans.push({ name: 'pn', parent: 'en0', device: 'vlan0', tag: 1, address: '172.16.0.4' });
  assert.match((await run('ifconfig en0')).out, /^en0: .*\n\tether 4c:20:b8.*\n\tinet 203\.0\.113\.7 /);
  assert.match((await run('ifconfig')).out, /^lo0: [\s\S]*^vlan0: [\s\S]*inet 172\.16\.0\.4/m);
  assert.equal((await run('ifconfig en9')).code, 1);
});
