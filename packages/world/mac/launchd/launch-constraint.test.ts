import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { codeSigningPart } from '../code-signing/codesign.ts';
import { machO } from '../code-signing/mach-o.ts';
import { root } from '../mac.ts';
import { plist } from '../testing/plist.ts';
import { type SmallMac, smallMac } from '../testing/small-mac.ts';
import { launchdOf } from './launchd.ts';
import { launchdPart } from './launchd-part.ts';

const BINARY = '/usr/local/bin/agent';
const PLIST = '/Library/LaunchDaemons/agent.plist';

/** A host that has run version 1 and has version 2 in its place, with a new inode. */
async function host(): Promise<SmallMac> {
  const small = smallMac([launchdPart, codeSigningPart]);
  const { files } = small.mac;
  launchdOf(small.mac).settings.pinsPrograms = true;
  files.makeDirectory(root, '/usr/local/bin', { parents: true });
  files.write(root, BINARY, machO('version 1'), { mode: 0o755 });
  const keys = { Label: 'agent', ProgramArguments: [BINARY], RunAtLoad: true, KeepAlive: true };
  files.write(root, PLIST, plist(keys));
  await small.run(['launchctl', 'bootstrap', 'system', PLIST]);
  files.write(root, `${BINARY}.new`, machO('version 2'), { mode: 0o755 });
  files.rename(root, `${BINARY}.new`, BINARY);
  return small;
}

const print = async (small: SmallMac): Promise<string> => (await small.run(['launchctl', 'print', 'system/agent'])).out;

test('I19 a daemon pinned to its previous code is killed once and then pinned to the new code', async () => {
  const small = await host();
  await small.run(['launchctl', 'kickstart', '-k', 'system/agent']);
  await small.clock.advance(seconds(2));
  assert.match(await print(small), /state = spawn scheduled[\s\S]*last exit reason = OS_REASON_CODESIGNING/);
  await small.clock.advance(seconds(10));
  assert.match(await print(small), /state = running/);
  small.close();
});

test('bootstrapping a daemon again removes its code pin', async () => {
  const small = await host();
  await small.run(['launchctl', 'bootout', 'system/agent']);
  await small.clock.advance(seconds(1));
  await small.run(['launchctl', 'bootstrap', 'system', PLIST]);
  await small.clock.advance(seconds(2));
  assert.match(await print(small), /state = running/);
  small.close();
});
