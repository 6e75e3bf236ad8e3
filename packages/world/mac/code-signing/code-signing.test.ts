import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { launchdPart } from '../launchd/launchd-part.ts';
import { root } from '../mac.ts';
import { plist } from '../testing/plist.ts';
import { type SmallMac, smallMac } from '../testing/small-mac.ts';
import { codeSigningPart } from './codesign.ts';
import { machO } from './mach-o.ts';

const BINARY = '/usr/local/bin/agent';
const PLIST = '/Library/LaunchDaemons/agent.plist';

async function host(): Promise<SmallMac> {
  const small = smallMac([launchdPart, codeSigningPart]);
  small.mac.files.makeDirectory(root, '/usr/local/bin', { parents: true });
  small.mac.files.write(root, BINARY, machO('version 1'), { mode: 0o755 });
  small.mac.files.write(
    root,
    PLIST,
    plist({ Label: 'agent', ProgramArguments: [BINARY], RunAtLoad: true, KeepAlive: true }),
  );
  await small.run(['launchctl', 'bootstrap', 'system', PLIST]);
  await small.clock.advance(seconds(1));
  return small;
}

async function restarted(small: SmallMac): Promise<string> {
  await small.run(['launchctl', 'kickstart', '-k', 'system/agent']);
  await small.clock.advance(seconds(5));
  return (await small.run(['launchctl', 'print', 'system/agent'])).out;
}

test('I19 a binary overwritten in place is killed at every start, although its signature is valid', async () => {
  const small = await host();
  small.mac.files.write(root, BINARY, machO('version 2'));
  assert.equal((await small.run(['codesign', '--verify', BINARY])).code, 0);
  assert.match(await restarted(small), /last exit reason = OS_REASON_CODESIGNING/);
  await small.clock.advance(seconds(60));
  const text = (await small.run(['launchctl', 'print', 'system/agent'])).out;
  assert.match(text, /state = spawn scheduled[\s\S]*runs = [6-9]/);
  small.close();
});

test('I19 a job whose binary is killed in a loop has a pid now and then', async () => {
  const small = await host();
  small.mac.files.write(root, BINARY, machO('version 2'));
  await small.run(['launchctl', 'kickstart', '-k', 'system/agent']);
  assert.match((await small.run(['launchctl', 'print', 'system/agent'])).out, /pid = \d+/);
  small.close();
});

test('I19 a forced re-sign repairs a binary overwritten in place and changes its bytes', async () => {
  const small = await host();
  const content = machO('version 2');
  small.mac.files.write(root, BINARY, content);
  const signed = await small.run(['codesign', '--force', '--sign', '-', BINARY]);
  assert.deepEqual(signed, { code: 0, out: '', err: `${BINARY}: replacing existing signature\n` });
  assert.match(await restarted(small), /state = running/);
  assert.notDeepEqual(small.mac.files.read(root, BINARY), content);
  assert.equal(small.mac.files.stat(root, BINARY).mode & 0o777, 0o755);
  small.close();
});

test('I19 a binary renamed into place with a new inode runs', async () => {
  const small = await host();
  small.mac.files.write(root, `${BINARY}.new`, machO('version 2'), { mode: 0o755 });
  small.mac.files.rename(root, `${BINARY}.new`, BINARY);
  assert.match(await restarted(small), /state = running/);
  small.close();
});

test('a reboot clears the kernel’s code signing cache', async () => {
  const small = await host();
  small.mac.files.write(root, BINARY, machO('version 2'));
  const rebooted = small.mac.reboot();
  await small.clock.advance(seconds(40));
  await rebooted;
  assert.match((await small.run(['launchctl', 'print', 'system/agent'])).out, /state = running/);
  small.close();
});

test('an unsigned binary is killed, and codesign reports it as unsigned', async () => {
  const small = await host();
  small.mac.files.write(root, '/tmp/bare', machO('bare', { signed: false }), { mode: 0o755 });
  assert.equal((await small.run(['/tmp/bare'])).code, 137);
  assert.equal(
    (await small.run(['codesign', '-dv', '/tmp/bare'])).err,
    '/tmp/bare: code object is not signed at all\n',
  );
  assert.equal((await small.run(['codesign', '-s', '-', '/tmp/bare'])).code, 0);
  assert.match((await small.run(['codesign', '-dv', '/tmp/bare'])).err, /^Signature=adhoc$/m);
  assert.equal((await small.run(['codesign', '-s', '-', '/tmp/bare'])).err, '/tmp/bare: is already signed\n');
  small.close();
});
