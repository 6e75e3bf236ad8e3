import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { smallMac } from '../testing/small-mac.ts';
import { privateNetworkOf, privateNetworkPart } from './networksetup.ts';

test('a VLAN with the correct tag gets its lease; a stale tag silently gets none', async () => {
  const { mac, clock, run, close } = smallMac([privateNetworkPart]);
  privateNetworkOf(mac).leases.set(1207, '172.16.4.9');
  await run(['networksetup', '-createVLAN', 'pn', 'en0', '1100']);
  assert.equal((await run(['networksetup', '-setdhcp', 'pn'])).code, 4);
  assert.equal((await run(['networksetup', '-setdhcp', 'pn Configuration'])).code, 0);
  await clock.advance(seconds(60));
  assert.deepEqual(await run(['ipconfig', 'getifaddr', 'vlan0']), { code: 1, out: '', err: '' });
  assert.match((await run(['networksetup', '-listVLANs'])).out, /^Tag: 1100$/m);
  assert.equal((await run(['networksetup', '-deleteVLAN', 'pn', 'en0', '1207'])).code, 4);
  await run(['networksetup', '-deleteVLAN', 'pn', 'en0', '1100']);
  await run(['networksetup', '-createVLAN', 'pn', 'en0', '1207']);
  await run(['networksetup', '-setdhcp', 'pn Configuration']);
  await clock.advance(seconds(3));
  assert.equal((await run(['ipconfig', 'getifaddr', 'vlan0'])).out, '172.16.4.9\n');
  close();
});
