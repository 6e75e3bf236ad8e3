import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smallMac } from '../testing/small-mac.ts';
import { installCommandLineTools, installXcode } from './image-builder.ts';

const DEVELOPER = '/Applications/Xcode.app/Contents/Developer';
const CHECK = ['xcodebuild', '-license', 'check'];

test('Command Line Tools contain swift but no xcodebuild', async () => {
  const small = smallMac([]);
  installCommandLineTools(small.mac);
  await small.run(['xcode-select', '--switch', '/Library/Developer/CommandLineTools']);
  assert.equal(
    (await small.run(['xcrun', '--find', 'swift'])).out,
    '/Library/Developer/CommandLineTools/usr/bin/swift\n',
  );
  assert.match((await small.run(CHECK)).err, /is a command line tools instance/);
  small.close();
});

test('DEVELOPER_DIR selects an Xcode other than the active one; a missing one is an error', async () => {
  const small = smallMac([]);
  const environment = { DEVELOPER_DIR: DEVELOPER };
  assert.match((await small.run(CHECK, { environment })).err, /missing DEVELOPER_DIR path/);
  installXcode(small.mac);
  assert.equal((await small.run(CHECK, { environment })).code, 69);
  assert.equal((await small.run(['xcodebuild', '-license', 'accept'], { environment })).code, 0);
  assert.equal((await small.run(CHECK, { environment })).code, 0);
  assert.match((await small.run(['xcrun', '--find', 'swift'], { environment })).out, /XcodeDefault\.xctoolchain/);
  assert.equal((await small.run(['xcrun', '--find', 'nothing'], { environment })).code, 72);
  assert.deepEqual(small.journal.gaps, []);
  small.close();
});
