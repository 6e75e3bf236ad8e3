import assert from 'node:assert/strict';
import { test } from 'node:test';
import { root } from '../mac.ts';
import { type SmallMac, smallMac } from '../testing/small-mac.ts';
import { startInternetSharing } from './network.ts';
import { allowed, translation } from './packet.ts';
import { pfOf, pfPart } from './pf.ts';

const ANCHOR = '/etc/pf.anchors/tuist.runners';
const BLOCK = `anchor "tuist.runners"\nload anchor "tuist.runners" from "${ANCHOR}"\n`;
const STOCK =
  'scrub-anchor "com.apple/*"\nnat-anchor "com.apple/*"\nrdr-anchor "com.apple/*"\n' +
  'dummynet-anchor "com.apple/*"\nanchor "com.apple/*"\nload anchor "com.apple" from "/etc/pf.anchors/com.apple"\n';

const rules = (flag: string): string =>
  [
    ...Array.from({ length: 10 }, (_, index) => `# line ${index + 1}`),
    `table <vm_sources> ${flag} { 192.168.64.0/22 }`,
    `table <blocked_dst> ${flag} { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }`,
    'pass quick proto tcp from <vm_sources> to 10.96.0.0/12 port 4000 keep state',
    'pass quick proto { tcp udp } from <vm_sources> to 10.96.0.10 port 53 keep state',
    'pass quick proto tcp from <vm_sources> to 172.16.4.0/22 port 30000:32767 keep state',
    'block drop quick from <vm_sources> to <blocked_dst>',
    'block drop quick from <vm_sources> to 169.254.169.254',
  ].join('\n');

function host(flag = 'persist'): SmallMac {
  const small = smallMac([pfPart]);
  small.mac.files.write(root, '/etc/pf.conf', STOCK);
  small.mac.files.write(root, ANCHOR, rules(flag));
  return small;
}

const BUSY =
  `${ANCHOR}:11: cannot define table vm_sources: Resource busy\n` +
  `${ANCHOR}:12: cannot define table blocked_dst: Resource busy\n`;
const NOT_LOADED = 'pfctl: Syntax error in config file: pf rules not loaded\n';

test('I01 a duplicated anchor block makes pfctl reject the whole file, and the kernel keeps the old rules', async () => {
  const { mac, run } = host('');
  mac.files.write(root, '/etc/pf.conf', STOCK + BLOCK + BLOCK);
  const loaded = await run(['pfctl', '-f', '/etc/pf.conf']);
  assert.equal(loaded.code, 1);
  assert.ok(loaded.err.endsWith(BUSY + NOT_LOADED), loaded.err);
  assert.doesNotMatch((await run(['pfctl', '-sr'])).out, /tuist/);
});

test('I01 a dry run also detects the duplicated block', async () => {
  const { mac, run } = host('');
  mac.files.write(root, '/etc/pf.conf', STOCK + BLOCK + BLOCK);
  assert.deepEqual(await run(['pfctl', '-nf', '/etc/pf.conf']), { code: 1, out: '', err: BUSY });
});

test('I02 a marked block next to the older unmarked stanza is refused; the marked block alone loads', async () => {
  const { mac, run } = host('');
  const marked = `# BEGIN tuist.runners\n${BLOCK}# END tuist.runners\n`;
  mac.files.write(root, '/etc/pf.conf', STOCK + BLOCK + marked);
  assert.match((await run(['pfctl', '-f', '/etc/pf.conf'])).err, /Resource busy/);
  mac.files.write(root, '/etc/pf.conf', STOCK + marked);
  assert.equal((await run(['pfctl', '-f', '/etc/pf.conf'])).code, 0);
  assert.equal((await run(['pfctl', '-f', '/etc/pf.conf'])).code, 0);
});

test('I03 a persist table left in the main ruleset stays busy if only the anchor is flushed', async () => {
  const { run } = host();
  await run(['pfctl', '-t', 'vm_sources', '-T', 'add', '192.168.64.0/22']);
  const killed = await run(['pfctl', '-a', 'tuist.runners', '-t', 'vm_sources', '-T', 'kill']);
  assert.equal(killed.code, 0);
  assert.match(killed.err, /^0 tables deleted\.$/m);
  const loaded = await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR]);
  assert.equal(loaded.code, 1);
  assert.match(loaded.err, /cannot define table vm_sources: Resource busy/);
});

test('I04 a persist table left in the anchor stays busy if only the main ruleset is flushed', async () => {
  const { run } = host();
  assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR])).code, 0);
  await run(['pfctl', '-t', 'vm_sources', '-T', 'kill']);
  assert.match((await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR])).err, /Resource busy/);
});

test('I03 I04 the anchor loads after the table was killed at both scopes', async () => {
  const { run } = host();
  await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR]);
  await run(['pfctl', '-t', 'blocked_dst', '-T', 'add', '10.0.0.0/8']);
  for (const table of ['vm_sources', 'blocked_dst'])
    for (const scope of [[], ['-a', 'tuist.runners']]) await run(['pfctl', ...scope, '-t', table, '-T', 'kill']);
  assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR])).code, 0);
});

test('I05 flushing empties persist tables and leaves them busy', async () => {
  const { run } = host();
  await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR]);
  for (const what of ['all', 'Tables']) {
    await run(['pfctl', '-a', 'tuist.runners', '-F', what]);
    assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-sT'])).out, 'blocked_dst\nvm_sources\n');
    assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-t', 'vm_sources', '-T', 'show'])).out, '');
    assert.match((await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR])).err, /Resource busy/);
  }
});

const PRIVATE = { from: '192.168.64.5', to: '10.1.2.3', port: 443 };

test('a pf anchor without a reference in the main ruleset filters nothing', async () => {
  const { mac, run } = host('');
  await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR]);
  await run(['pfctl', '-E']);
  assert.equal(allowed(mac, PRIVATE), true);
  mac.files.write(root, '/etc/pf.conf', STOCK + BLOCK);
  await run(['pfctl', '-f', '/etc/pf.conf']);
  assert.equal(allowed(mac, PRIVATE), false);
});

test('the documented pf rules block guests from private networks except the cache', async () => {
  const { mac, run } = host('');
  mac.files.write(root, '/etc/pf.conf', STOCK + BLOCK);
  await run(['pfctl', '-f', '/etc/pf.conf', '-E']);
  const to = (address: string, port: number, protocol: 'tcp' | 'udp' = 'tcp'): boolean =>
    allowed(mac, { from: '192.168.64.5', to: address, port, protocol });
  assert.deepEqual([to('10.100.0.1', 4000), to('10.96.0.10', 53, 'udp'), to('172.16.5.1', 31000)], [true, true, true]);
  assert.deepEqual([to('10.100.0.1', 22), to('172.16.5.1', 80), to('169.254.169.254', 80)], [false, false, false]);
  assert.deepEqual([to('1.1.1.1', 443), to('192.168.65.1', 22)], [true, true]);
  await run(['pfctl', '-d']);
  assert.equal(to('10.100.0.1', 22), true);
});

test('a sub-anchor of com.apple is active immediately, without an edit of pf.conf', async () => {
  const { mac, run } = host('');
  await run(['pfctl', '-f', '/etc/pf.conf', '-E']);
  const nat = 'nat on en0 inet from 192.168.64.0/22 to ! 172.16.4.0/22 -> (en0)\n';
  const loaded = await run(['pfctl', '-a', 'com.apple/tuist.vmnat', '-f', '-'], { stdin: nat });
  assert.equal(loaded.code, 0);
  const shown = await run(['pfctl', '-a', 'com.apple/tuist.vmnat', '-s', 'nat']);
  assert.equal(shown.out, 'nat on en0 inet from 192.168.64.0/22 to ! 172.16.4.0/22 -> (en0) round-robin\n');
  assert.ok(translation(mac, { from: '192.168.64.5', to: '1.1.1.1' }));
  assert.equal(translation(mac, { from: '192.168.64.5', to: '172.16.4.9' }), undefined);
});

test('a reload of pf.conf fails while the running ruleset contains system rules', async () => {
  const { mac, run } = host('');
  await run(['pfctl', '-f', '/etc/pf.conf']);
  startInternetSharing(mac);
  assert.deepEqual((await run(['pfctl', '-f', '/etc/pf.conf'])).code, 1);
  assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR])).code, 0);
  pfOf(mac).settings.wholeReloadCollides = false;
  assert.equal((await run(['pfctl', '-f', '/etc/pf.conf'])).code, 0);
});

test('pf stays enabled until the last reference is released', async () => {
  const { run } = host();
  const tokens: string[] = [];
  for (let count = 0; count < 2; count++) {
    tokens.push(/Token : (\d+)/.exec((await run(['pfctl', '-E'])).err)?.[1] ?? '');
  }
  assert.equal((await run(['pfctl', '-e'])).err.split('\n').at(-2), 'pfctl: pf already enabled');
  assert.match((await run(['pfctl', '-X', tokens[0] ?? ''])).err, /1 more pf enable reference/);
  assert.match((await run(['pfctl', '-X', tokens[1] ?? ''])).err, /^pf disabled$/m);
  assert.match((await run(['pfctl', '-si'])).out, /^Status: Disabled/);
});

test('after a reboot, only the rules of pf.conf are loaded, and pf is disabled', async () => {
  const { mac, clock, run } = host('');
  mac.files.write(root, '/etc/pf.conf', STOCK + BLOCK);
  await run(['pfctl', '-a', 'com.apple/other', '-f', ANCHOR]);
  await run(['pfctl', '-E']);
  const rebooted = mac.reboot();
  await clock.advance(60_000 as never);
  await rebooted;
  assert.match((await run(['pfctl', '-sr'])).out, /^anchor "tuist\.runners" all$/m);
  assert.match((await run(['pfctl', '-si'])).out, /^Status: Disabled/);
  assert.deepEqual(pfOf(mac).rulesets.has('com.apple/other'), false);
});

test('pfctl errors name file and line', async () => {
  const { run, journal } = host();
  const check = async (text: string): Promise<string> => (await run(['pfctl', '-nf', '-'], { stdin: text })).err;
  assert.equal(await check('pass all\nblok all\n'), '-:2: syntax error\n');
  assert.equal(await check('pass from 10.0.0.0/40 to any\n'), '-:1: could not parse host specification\n');
  assert.match(await check('pass all\nnat on en0 from any to any -> (en0)\n'), /^-:2: Rules must be in order/);
  assert.equal(await check('pass to any port 22\n'), '-:1: port only applies to tcp/udp\n');
  assert.deepEqual(journal.gaps, []);
});

test('pfctl -s shows rules in pf’s normal form, not as written', async () => {
  const { run } = host('');
  await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR]);
  const { out } = await run(['pfctl', '-a', 'tuist.runners', '-sr']);
  assert.equal(
    out,
    [
      'pass quick inet proto tcp from <vm_sources> to 10.96.0.0/12 port = terabase flags S/SA keep state',
      'pass quick inet proto tcp from <vm_sources> to 10.96.0.10 port = domain flags S/SA keep state',
      'pass quick inet proto udp from <vm_sources> to 10.96.0.10 port = domain keep state',
      'pass quick inet proto tcp from <vm_sources> to 172.16.4.0/22 port 30000:32767 flags S/SA keep state',
      'block drop quick from <vm_sources> to <blocked_dst>',
      'block drop quick inet from <vm_sources> to 169.254.169.254',
      '',
    ].join('\n'),
  );
});

test('only root can open /dev/pf, and an unknown pfctl option is unmodelled or illegal', async () => {
  const { run, journal } = host();
  const user = { name: 'm1', uid: 501, gid: 20, group: 'staff', home: '/Users/m1' };
  assert.deepEqual(await run(['pfctl', '-sr'], { user }), {
    code: 1,
    out: '',
    err: 'pfctl: /dev/pf: Permission denied\n',
  });
  assert.match((await run(['pfctl', '-Q'])).err, /illegal option -- Q/);
  await run(['pfctl', '-k', '1.1.1.1']);
  assert.equal(journal.gaps.length, 1);
});

test('a pfctl dry run does not detect a busy table; the load does', async () => {
  const { mac, run } = host();
  await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR]);
  assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-nf', ANCHOR])).code, 0);
  assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR])).code, 1);
  pfOf(mac).settings.persistTablesRedefinable = true;
  assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR])).code, 0);
});

test('the documented SSH rules allow guests to any port 22 and block the host’s port 22 from outside', async () => {
  const { mac, run } = host('');
  const guard = [
    'table <ssh_allowed> persist { 100.64.0.0/10 203.0.113.7 }',
    'pass in quick on lo0 proto tcp from any to any port 22',
    'pass in quick proto tcp from <ssh_allowed> to any port 22',
    'block drop in quick proto tcp from 192.168.64.0/22 to 192.168.64.0/22 port 22',
    'pass in quick proto tcp from 192.168.64.0/22 to any port 22',
    'block drop in quick proto tcp from any to any port 22',
    '',
  ].join('\n');
  await run(['pfctl', '-a', 'com.apple/tuist.sshguard', '-f', '-'], { stdin: guard });
  await run(['pfctl', '-E']);
  const reaches = (from: string, inOn: string, to = '203.0.113.50'): boolean =>
    allowed(mac, { from, to, port: 22, inOn, ...(inOn === 'bridge100' ? {} : { outOn: null }) });
  assert.deepEqual([reaches('198.51.100.1', 'en0'), reaches('198.51.100.1', 'lo0')], [false, true]);
  assert.deepEqual([reaches('203.0.113.7', 'en0'), reaches('100.100.1.1', 'utun3')], [true, true]);
  assert.deepEqual(
    [reaches('192.168.64.5', 'bridge100'), reaches('192.168.64.5', 'bridge100', '192.168.64.1')],
    [true, false],
  );
});

test('pfctl -nv prints the rules in the format that -s shows after the load', async () => {
  const { run } = host('');
  const text = 'table <a> const { 10/8, !10.1.0.0/16 }\nblock drop in quick proto tcp from <a> to any port 22\n';
  const understood = await run(['pfctl', '-vnf', '-'], { stdin: text });
  const rule = 'block drop in quick proto tcp from <a> to any port = ssh\n';
  assert.deepEqual(understood, {
    code: 0,
    out: `table <a> const { 10.0.0.0/8 !10.1.0.0/16 }\n${rule}`,
    err: '',
  });
  await run(['pfctl', '-a', 'tuist.runners', '-f', '-'], { stdin: text });
  assert.equal((await run(['pfctl', '-a', 'tuist.runners', '-sr'])).out, rule);
  assert.equal(
    (await run(['pfctl', '-a', 'tuist.runners', '-t', 'a', '-T', 'show'])).out,
    '   10.0.0.0/8\n  !10.1.0.0/16\n',
  );
});

test('a const pf table keeps its addresses but can be killed', async () => {
  const { run } = host('const');
  await run(['pfctl', '-a', 'tuist.runners', '-f', ANCHOR]);
  const on = (command: string, ...addresses: string[]) =>
    run(['pfctl', '-q', '-a', 'tuist.runners', '-t', 'vm_sources', '-T', command, ...addresses]);
  for (const refused of [await on('flush'), await on('add', '10.0.0.1'), await on('delete', '192.168.64.0/22')])
    assert.deepEqual(refused, { code: 1, out: '', err: 'pfctl: Operation not permitted.\n' });
  assert.equal((await on('show')).out, '   192.168.64.0/22\n');
  assert.equal((await on('kill')).code, 0);
});

test('pfctl rejects each line with a carriage return except comments', async () => {
  const { run } = host();
  const { code, err } = await run(['pfctl', '-nf', '-'], { stdin: '# a comment\r\npass all\r\n\r\n' });
  assert.deepEqual({ code, err }, { code: 1, err: '-:2: syntax error\n-:3: syntax error\n' });
});

test('pfctl -q suppresses the ALTQ message; -f also prints its warning for an anchor', async () => {
  const { run } = host('');
  assert.equal((await run(['pfctl', '-q', '-s', 'Tables'])).err, '');
  const { err } = await run(['pfctl', '-q', '-a', 'tuist.runners', '-f', ANCHOR]);
  assert.match(err, /^pfctl: Use of -f option/);
  assert.doesNotMatch(err, /ALTQ/);
});

test('a pf rule may use an interface address or an ICMP type, and (self) matches nothing', async () => {
  const { mac, run } = host('');
  const text = [
    'block drop in quick proto tcp from any to { (en0) (self) } flags S/SA',
    'pass in quick on bridge100 inet6 proto ipv6-icmp all icmp6-type neighbrsol no state',
    'block drop in quick on bridge100 inet6 all',
  ].join('\n');
  await run(['pfctl', '-a', 'com.apple/test', '-f', '-'], { stdin: `${text}\n` });
  await run(['pfctl', '-E']);
  const reaches = (to: string): boolean => allowed(mac, { from: '192.168.64.5', to, port: 22, outOn: null });
  assert.deepEqual([reaches(mac.options.address), reaches('192.168.64.1')], [false, true]);
  const discovers = (icmpType: string): boolean =>
    allowed(mac, { from: 'fe80::5', to: 'ff02::1', protocol: 'ipv6-icmp', icmpType, outOn: null });
  assert.deepEqual([discovers('neighbrsol'), discovers('echoreq')], [true, false]);
});
