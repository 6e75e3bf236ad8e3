import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { clickAllow } from '../local-network/local-network.ts';
import { localNetworkPart } from '../local-network/part.ts';
import { type CommandOptions, type Outcome, type SmallMac, smallMac } from '../testing/small-mac.ts';
import { m1, root } from '../user.ts';
import { brew } from './brew.ts';
import { homebrewOf, installHomebrew, PREFIX } from './homebrew.ts';
import { builderPart } from './part.ts';

const PACKER = `${PREFIX}/bin/packer`;
const BUILD = [PACKER, 'build', '/Users/m1/runner.pkr.hcl'];
const AGENT: CommandOptions = { user: m1, session: 'aqua' };

/** A command of m1, with as much time as it takes. */
async function patiently(
  small: SmallMac,
  argv: readonly string[],
  how: CommandOptions = { user: m1 },
): Promise<Outcome> {
  const running = small.run(argv, how);
  await small.clock.advance(seconds(60));
  return running;
}

const brewing = (small: SmallMac, ...words: readonly string[]): Promise<Outcome> =>
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

test('a fresh image has no brew; its installer brings one, and brew does not run as root', async () => {
  const small = smallMac([builderPart]);
  assert.equal((await small.run([`${PREFIX}/bin/brew`, 'list'], { user: m1 })).code, 127);
  assert.equal((await small.run(['/usr/libexec/homebrew-installer'], { user: m1 })).code, 0);
  assert.equal((await small.run([`${PREFIX}/bin/brew`, 'install', 'oras'])).code, 1);
  assert.match((await brewing(small, 'install', 'packer')).err, /No available formula with the name "packer"/);
  assert.match((await brewing(small, 'shellenv')).out, /export PATH="\/opt\/homebrew\/bin:/);
  small.close();
});

test('I26 an upgrade brings a new signature, the grant is gone, and a build waits for SSH for ever', async () => {
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

test('I26 pinned, the binary and its grant stay; and from a daemon or over SSH none is needed', async () => {
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

test('I26 a template with ssh_timeout ends and says what it waited for', async () => {
  const small = await builder();
  small.mac.files.write(root, '/Users/m1/runner.pkr.hcl', 'source "tart-cli" "runner" {\n  ssh_timeout = "30s"\n}\n');
  const built = await patiently(small, BUILD, AGENT);
  assert.equal(built.code, 1);
  assert.match(built.err, /Timeout waiting for SSH/);
  small.close();
});
