import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { launchdPart } from '../launchd/launchd-part.ts';
import { encodePassword } from '../login-window/kcpassword.ts';
import { loginWindowPart } from '../login-window/login-window.ts';
import { root } from '../mac.ts';
import { plist } from '../testing/plist.ts';
import { createTestMac, PASSWORD } from '../testing/test-mac.ts';
import { tartBinary, tartBundle, tartPart } from './tart-part.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-tart-part-'));
after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

/** A Mac with the unpacked bundle and the operators' wrapper. */
function host() {
  const small = createTestMac({ parts: [loginWindowPart, launchdPart, tartPart(directory)] });
  const { files } = small.mac;
  for (const [name, content] of Object.entries(tartBundle())) {
    const path = `/usr/local/lib/${name}`;
    files.makeDirectory(root, path.slice(0, path.lastIndexOf('/')), { parents: true });
    files.write(root, path, content, { mode: 0o755 });
  }
  files.makeDirectory(root, '/usr/local/bin', { parents: true });
  const wrapper = '#!/bin/sh\nexec /usr/local/lib/tart.app/Contents/MacOS/tart "$@"\n';
  files.write(root, '/usr/local/bin/tart', wrapper, { mode: 0o755 });
  return small;
}

test('the wrapper on the Mac runs the world’s Tart and returns its exit codes', async () => {
  const { run, mac } = host();
  assert.match((await run('/usr/local/bin/tart --version')).out, /^\d+\.\d+\.\d+\n$/);
  assert.equal((await run('/usr/local/bin/tart stop nothing')).code, 2);
  assert.match((await run('/usr/local/bin/tart list --format json')).out, /^\[\s*\]\n$/);
  mac.shutDown();
});

test('I06 a macOS guest starts only with a session at the screen', async () => {
  const { run, mac, clock } = host();
  await run('/usr/local/bin/tart create vm --from-ipsw latest');
  assert.match((await run('/usr/local/bin/tart run vm')).err, /VZErrorDomain Code=-9/);
  mac.files.write(root, '/etc/kcpassword', encodePassword(PASSWORD), { mode: 0o600 });
  mac.files.write(root, '/Library/Preferences/com.apple.loginwindow.plist', plist({ autoLoginUser: 'm1' }));
  await run('launchctl kickstart -k system/com.apple.loginwindow', { user: root });
  await clock.advance(seconds(10));
  const stop = new AbortController();
  const running = run('/usr/local/bin/tart run vm', { signal: stop.signal });
  await eventually(async () => /"State" : "running"/.test((await run('/usr/local/bin/tart list --format json')).out));
  stop.abort();
  await running;
  mac.shutDown();
});

test('tart reports the version of its binary, and a running guest is in the process list', async () => {
  const { run, mac, clock } = host();
  const binary = '/usr/local/lib/tart.app/Contents/MacOS/tart';
  mac.files.remove(root, binary);
  mac.files.write(root, binary, tartBinary('2.40.0'), { mode: 0o755 });
  assert.equal((await run('/usr/local/bin/tart --version')).out, '2.40.0\n');
  await run('/usr/local/bin/tart create linux --linux');
  const stop = new AbortController();
  const running = run('/usr/local/bin/tart run linux', { signal: stop.signal });
  await eventually(async () => (await run("pgrep -f '(^|/)tart run( |$)'")).code === 0);
  stop.abort();
  await running;
  await clock.settle();
  await eventually(async () => (await run("pgrep -f '(^|/)tart run( |$)'")).code === 1);
  mac.shutDown();
});
