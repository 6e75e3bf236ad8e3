import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { launchdOf } from './launchd/launchd.ts';
import { encodePassword } from './login-window/kcpassword.ts';
import { hasAquaSession } from './login-window/login-window.ts';
import { m1, root } from './mac.ts';
import { macParts } from './mac-parts.ts';
import { allowed } from './pf/packet.ts';
import { plist } from './testing/plist.ts';
import { smallMac } from './testing/small-mac.ts';

test('a job in /Library/LaunchDaemons enables pf with the rules of pf.conf at boot', async () => {
  const small = smallMac(macParts);
  const rules = 'table <vm> { 192.168.64.0/22 }\nblock drop quick from <vm> to 10.0.0.0/8\n';
  small.mac.files.write(root, '/etc/pf.anchors/guests', rules);
  small.mac.files.write(root, '/etc/pf.conf', 'anchor "guests"\nload anchor "guests" from "/etc/pf.anchors/guests"\n', {
    append: true,
  });
  const job = { Label: 'pf', ProgramArguments: ['/sbin/pfctl', '-f', '/etc/pf.conf', '-E'], RunAtLoad: true };
  small.mac.files.write(root, '/Library/LaunchDaemons/pf.plist', plist(job));
  assert.equal(allowed(small.mac, { from: '192.168.64.3', to: '10.1.1.1', port: 22 }), true);
  assert.equal((await small.run(['shutdown', '-r', 'now'])).code, 0);
  await small.clock.advance(seconds(60));
  assert.equal(allowed(small.mac, { from: '192.168.64.3', to: '10.1.1.1', port: 22 }), false);
  assert.deepEqual(small.journal.gaps, []);
  small.close();
});

test('I08 killall finds no login window after SIGHUP; kickstart opens the session', async () => {
  const small = smallMac(macParts);
  small.mac.files.write(root, '/etc/kcpassword', encodePassword('hello'), { mode: 0o600 });
  small.mac.files.write(root, '/Library/Preferences/com.apple.loginwindow.plist', plist({ autoLoginUser: 'm1' }));
  assert.equal((await small.run(['killall', '-HUP', 'loginwindow'])).code, 0);
  await small.clock.advance(seconds(30));
  const again = await small.run(['killall', '-HUP', 'loginwindow']);
  assert.deepEqual(again, { code: 1, out: '', err: 'No matching processes were found\n' });
  await small.run(['launchctl', 'kickstart', '-k', 'system/com.apple.loginwindow']);
  await small.clock.advance(seconds(3));
  assert.equal(hasAquaSession(small.mac, m1.uid), true);
  small.close();
});

test('mDNSResponder keeps running after SIGHUP', async () => {
  const small = smallMac(macParts);
  const pid = (): number | undefined =>
    launchdOf(small.mac).jobs.get('system/com.apple.mDNSResponder.reloaded')?.process?.pid;
  const before = pid();
  assert.equal((await small.run(['killall', '-HUP', 'mDNSResponder'])).code, 0);
  await small.clock.advance(seconds(30));
  assert.ok(before !== undefined && pid() === before);
  small.close();
});

test('a Mac that is switched off leaves no timer', async () => {
  const small = smallMac(macParts);
  await small.clock.advance(seconds(10));
  small.close();
  await small.clock.settle();
  assert.equal(small.clock.pending, 0);
});

test('a job that is a script runs in its shell every minute', async () => {
  const small = smallMac(macParts);
  const script =
    '#!/bin/sh\nset -eu\necho "block drop quick from 192.168.64.0/22 to 10.0.0.0/8" | pfctl -q -a com.apple/guests -f -\n';
  small.mac.files.makeDirectory(root, '/usr/local/bin', { parents: true });
  small.mac.files.write(root, '/usr/local/bin/guard', script, { mode: 0o755 });
  const job = { Label: 'guard', ProgramArguments: ['/usr/local/bin/guard'], StartInterval: 60 };
  small.mac.files.write(root, '/Library/LaunchDaemons/guard.plist', plist(job));
  await small.run(['launchctl', 'bootstrap', 'system', '/Library/LaunchDaemons/guard.plist']);
  await small.run(['pfctl', '-E']);
  assert.equal(allowed(small.mac, { from: '192.168.64.3', to: '10.1.1.1', port: 22 }), true);
  await small.clock.advance(seconds(61));
  assert.equal(allowed(small.mac, { from: '192.168.64.3', to: '10.1.1.1', port: 22 }), false);
  assert.deepEqual(small.journal.gaps, []);
  small.close();
});
