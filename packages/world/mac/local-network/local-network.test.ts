import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { machO } from '../code-signing/mach-o.ts';
import { m1, root } from '../mac.ts';
import { plist } from '../testing/plist.ts';
import { type SmallMac, smallMac } from '../testing/small-mac.ts';
import { clickAllow, localNetworkAllowed, localNetworkPart } from './local-network.ts';

const PROGRAM = '/usr/local/bin/packer';

function host(): SmallMac {
  const small = smallMac([localNetworkPart]);
  small.mac.files.makeDirectory(root, '/usr/local/bin', { parents: true });
  small.mac.files.write(root, PROGRAM, machO('packer 1'), { mode: 0o755 });
  return small;
}

const asAgent = (small: SmallMac): boolean =>
  localNetworkAllowed(small.mac, { program: PROGRAM, session: 'aqua', user: m1 });

test('I26 a Local Network grant applies to one signature; a new binary has none', () => {
  const small = host();
  assert.equal(asAgent(small), false);
  clickAllow(small.mac, PROGRAM);
  assert.equal(asAgent(small), true);
  small.mac.files.write(root, PROGRAM, machO('packer 2'));
  assert.equal(asAgent(small), false);
  small.close();
});

test('daemons, root and children of sshd need no Local Network grant', () => {
  const { mac, close } = host();
  assert.equal(localNetworkAllowed(mac, { program: PROGRAM, session: 'launchd', user: m1 }), true);
  assert.equal(localNetworkAllowed(mac, { program: PROGRAM, session: 'ssh', user: m1 }), true);
  assert.equal(localNetworkAllowed(mac, { program: PROGRAM, session: 'aqua', user: root }), true);
  close();
});

test('I26 the Local Network allow-list takes effect at the next boot, for its networks only', async () => {
  const small = host();
  const list = plist({ AllowedEthernetLocalNetworkAddresses: ['10.0.0.0/8', '192.168.0.0/16'] });
  small.mac.files.write(root, '/var/root/Library/Preferences/com.apple.network.local-network.plist', list);
  assert.equal(asAgent(small), false);
  const rebooted = small.mac.reboot();
  await small.clock.advance(seconds(40));
  await rebooted;
  assert.equal(asAgent(small), true);
  const elsewhere = { program: PROGRAM, session: 'aqua', user: m1, address: '172.20.0.1' } as const;
  assert.equal(localNetworkAllowed(small.mac, elsewhere), false);
  small.close();
});
