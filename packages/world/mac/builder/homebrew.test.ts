import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { clickAllow, localNetworkPart } from '../local-network/local-network.ts';
import { m1, root } from '../mac.ts';
import { type CommandOptions, type CommandResult, type SmallMac, smallMac } from '../testing/small-mac.ts';
import { brew, homebrewOf, installHomebrew, PREFIX } from './brew.ts';

import { builderPart } from './builder-part.ts';

const PACKER = `${PREFIX}/bin/packer`;
const BUILD = [PACKER, 'build', '/Users/m1/runner.pkr.hcl'];
const AGENT: CommandOptions = { user: m1, session: 'aqua' };

/** Runs a command as m1 and advances the clock until it exits. */
async function patiently(
  small: SmallMac,
  argv: readonly string[],
  how: CommandOptions = { user: m1 },
): Promise<CommandResult> {
  const running = small.run(argv, how);
  await small.clock.advance(seconds(60));
  return running;
}

const brewing = (small: SmallMac, ...words: readonly string[]): Promise<CommandResult> =>
  patiently(small, [`${PREFIX}/bin/brew`, ...words]);

async function builder(): Promise<SmallMac> {
  const small = smallMac([localNetworkPart, builderPart]);
  installHomebrew(small.mac, brew);
  small.mac.files.write(
    m1,
    '/Users/m1/runner.pkr.hcl',
    'source "tart-cli" "runner" {\n  vm_name = "tuist-runner"\n}\n',
  );
  await brewing(small, 'tap', 'hashicorp/tap');
  await brewing(small, 'install', 'hashicorp/tap/packer', 'crane', 'oras');
  return small;
}

test('a fresh image has no brew until its installer ran, and brew refuses to run as root', async () => {
  const small = smallMac([builderPart]);
  assert.equal((await small.run([`${PREFIX}/bin/brew`, 'list'], { user: m1 })).code, 127);
  assert.equal((await small.run(['/usr/libexec/homebrew-installer'], { user: m1 })).code, 0);
  assert.equal((await small.run([`${PREFIX}/bin/brew`, 'install', 'oras'])).code, 1);
  assert.match((await brewing(small, 'install', 'packer')).err, /No available formula with the name "packer"/);
  assert.match((await brewing(small, 'shellenv')).out, /export PATH="\/opt\/homebrew\/bin:/);
  small.close();
});

test('I26 an upgrade changes the signature and voids the grant, so that a build waits forever for SSH', async () => {
  const small = await builder();
  clickAllow(small.mac, PACKER);
  assert.equal((await patiently(small, BUILD, AGENT)).code, 0);
  const packer = homebrewOf(small.mac).formulae.get('packer');
  assert.ok(packer);
  packer.version = '1.14.3';
  await brewing(small, 'upgrade');
  assert.equal((await brewing(small, 'list', '--versions', 'packer')).out, 'packer 1.14.3\n');
  const stop = new AbortController();
  const building = small.run(BUILD, { ...AGENT, signal: stop.signal });
  let over = false;
  void building.then(() => (over = true));
  await small.clock.advance(seconds(24 * 3_600));
  assert.equal(over, false);
  stop.abort();
  assert.match((await building).out, /==> tart-cli\.runner: Waiting for SSH to become available\.\.\.\n$/);
  small.close();
});

test('I26 a pinned binary keeps its grant; a daemon or an SSH session needs none', async () => {
  const small = await builder();
  clickAllow(small.mac, PACKER);
  await brewing(small, 'pin', 'packer');
  const packer = homebrewOf(small.mac).formulae.get('packer');
  assert.ok(packer);
  packer.version = '1.14.3';
  assert.match((await brewing(small, 'upgrade')).err, /Not upgrading 1 pinned package:\npacker 1\.14\.3/);
  assert.equal((await patiently(small, BUILD, AGENT)).code, 0);
  await brewing(small, 'unpin', 'packer');
  await brewing(small, 'upgrade', 'packer');
  assert.equal((await patiently(small, BUILD, { user: m1, session: 'launchd' })).code, 0);
  small.close();
});

test('I26 a build with ssh_timeout fails and reports what it waited for', async () => {
  const small = await builder();
  small.mac.files.write(root, '/Users/m1/runner.pkr.hcl', 'source "tart-cli" "runner" {\n  ssh_timeout = "30s"\n}\n');
  const built = await patiently(small, BUILD, AGENT);
  assert.equal(built.code, 1);
  assert.match(built.err, /Timeout waiting for SSH/);
  small.close();
});

test('brew install upgrades outdated formulae unless pinned or disabled; reinstall uses the tap’s version', async () => {
  const small = await builder();
  const packer = homebrewOf(small.mac).formulae.get('packer');
  assert.ok(packer);
  const version = async (): Promise<string> => (await brewing(small, 'list', '--versions', 'packer')).out;
  packer.version = '1.14.3';
  const spared = { user: m1, environment: { HOMEBREW_NO_INSTALL_UPGRADE: '1' } };
  await patiently(small, [`${PREFIX}/bin/brew`, 'install', 'packer'], spared);
  assert.equal(await version(), 'packer 1.14.2\n');
  await brewing(small, 'pin', 'packer');
  assert.match((await brewing(small, 'reinstall', 'packer')).err, /is pinned\. You must unpin it to reinstall/);
  assert.equal(await version(), 'packer 1.14.2\n');
  await brewing(small, 'unpin', 'packer');
  await brewing(small, 'install', 'packer');
  assert.equal(await version(), 'packer 1.14.3\n');
  packer.version = '1.14.2';
  await brewing(small, 'reinstall', 'hashicorp/tap/packer');
  assert.equal(await version(), 'packer 1.14.2\n');
  const offered = JSON.parse((await brewing(small, 'info', '--json=v2', 'hashicorp/tap/packer', 'crane')).out);
  assert.deepEqual(
    offered.formulae.map((one: { name: string; versions: { stable: string } }) => [one.name, one.versions.stable]),
    [
      ['packer', '1.14.2'],
      ['crane', '0.20.6'],
    ],
  );
  small.close();
});

test('brew uninstall removes program and pin, and brew writes only to directories of its user', async () => {
  const small = await builder();
  await brewing(small, 'pin', 'packer');
  assert.equal((await brewing(small, 'uninstall', 'packer')).code, 0);
  assert.equal((await small.run([PACKER, 'version'], { user: m1 })).code, 127);
  assert.match((await brewing(small, 'uninstall', 'packer')).err, /No such keg/);
  small.mac.files.chown(root, PREFIX, 0, 0);
  assert.match((await brewing(small, 'install', 'hashicorp/tap/packer')).err, /not writable by your user/);
  assert.deepEqual(small.journal.gaps, []);
  small.close();
});
