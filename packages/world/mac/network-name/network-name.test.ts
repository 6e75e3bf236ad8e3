import assert from 'node:assert/strict';
import { test } from 'node:test';
import { m1 } from '../mac.ts';
import { smallMac } from '../testing/small-mac.ts';
import { macTime, onOwnTime, skewOf } from './mac-time.ts';
import { networkNamePart, renewLease } from './network-name.ts';

test('DHCP renames a Mac only if it has no HostName', async () => {
  const { mac, run, close } = smallMac([networkNamePart]);
  assert.equal((await run(['hostname'])).out, 'mini-01.local\n');
  renewLease(mac, '62-210-1-2.rev.example.net');
  assert.equal((await run(['hostname'])).out, '62-210-1-2.rev.example.net\n');
  assert.deepEqual(await run(['scutil', '--get', 'HostName']), { code: 1, out: '', err: 'HostName: not set\n' });
  assert.equal((await run(['scutil', '--set', 'HostName', 'runner-1'], { user: m1 })).code, 1);
  assert.equal((await run(['scutil', '--set', 'HostName', 'runner-1'])).code, 0);
  renewLease(mac, 'other');
  assert.equal((await run(['hostname'])).out, 'runner-1\n');
  close();
});

test('programs of a Mac use its skewed clock, and sntp reports and corrects the offset', async () => {
  const { mac, clock, run, close } = smallMac([networkNamePart]);
  skewOf(mac).ahead = 90_000;
  assert.equal(macTime(mac), clock.now() + 90_000);
  mac.install(
    '/usr/local/bin/now',
    onOwnTime(it => {
      it.out(String(it.mac.around.clock.now()));
      return 0;
    }),
  );
  assert.equal((await run(['/usr/local/bin/now'])).out, String(clock.now() + 90_000));
  assert.match((await run(['sntp', 'time.apple.com'])).out, /^-90\.000000 /);
  await run(['sntp', '-sS', 'time.apple.com']);
  assert.equal(macTime(mac), clock.now());
  close();
});
