import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { root } from '@minifleet/world/mac';
import { type TestHost, testHost } from '../../testing/index.ts';
import { BLOCK } from './pf-conf.ts';
import {
  ANCHOR_FILE,
  breaches,
  byHand,
  install,
  pfOf,
  read,
  STANZA,
  startInternetSharing,
  write,
} from './testing/egress-host.ts';

const OLD_COMMENT = `\n# Egress filter of the runners, see ${ANCHOR_FILE}\n`;

const oldRules = (flag: string): string =>
  `table <vm_sources> ${flag} { 192.168.64.0/22 }
table <blocked_dst> ${flag} { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }
block drop quick from <vm_sources> to <blocked_dst>
`;

const append = ({ mac }: TestHost, text: string): void => mac.files.write(root, '/etc/pf.conf', text, { append: true });

interface Damage {
  readonly name: string;
  /** Something of what the first inspection says. */
  readonly seen: RegExp;
  readonly noted?: RegExp;
  readonly make: (given: TestHost) => unknown;
}

/** On a host an older bootstrap has been to. */
const fromOlder: readonly Damage[] = [
  {
    name: 'I01 a stanza that was appended twice',
    seen: /contains the block 0 times.*4 lines of older forms.*cannot define table vm_sources: Resource busy/,
    make(given) {
      write(given, ANCHOR_FILE, oldRules(''));
      append(given, STANZA + STANZA);
    },
  },
  {
    name: 'I01 a marked block that was appended three times',
    seen: /contains the block 3 times, expected once/,
    make(given) {
      write(given, ANCHOR_FILE, oldRules(''));
      append(given, BLOCK + BLOCK + BLOCK);
    },
  },
  {
    name: 'I02 a marked block beside the older unmarked stanza',
    seen: /3 lines of older forms outside the block/,
    make(given) {
      write(given, ANCHOR_FILE, oldRules(''));
      append(given, OLD_COMMENT + STANZA + BLOCK);
    },
  },
  {
    name: 'I03 persist tables left in the main ruleset',
    seen: /table vm_sources is left over in the main ruleset/,
    noted:
      /removed leftover table blocked_dst from the main ruleset.*removed leftover table vm_sources from the main ruleset/,
    make: given =>
      byHand(given, 'pfctl -t vm_sources -T add 192.168.64.0/22; pfctl -t blocked_dst -T add 10.0.0.0/8 172.16.0.0/12'),
  },
  {
    name: 'I04 persist tables left at the anchor',
    seen: /table vm_sources is left over in tuist\.runners/,
    noted: /removed leftover table vm_sources from tuist\.runners/,
    make(given) {
      write(given, ANCHOR_FILE, oldRules('persist'));
      return byHand(given, `pfctl -a tuist.runners -f ${ANCHOR_FILE}`);
    },
  },
  {
    name: 'I03 I04 persist tables left at every scope',
    seen: /left over in the main ruleset.*left over in com\.apple\/tuist\.runners.*left over in tuist\.runners/,
    noted: /from the main ruleset.*from com\.apple\/tuist\.runners.*from tuist\.runners/,
    make(given) {
      write(given, ANCHOR_FILE, oldRules('persist'));
      const load = `pfctl -a tuist.runners -f ${ANCHOR_FILE}; pfctl -a com.apple/tuist.runners -f ${ANCHOR_FILE}`;
      return byHand(given, `${load}; pfctl -t vm_sources -T add 192.168.64.0/22`);
    },
  },
  {
    name: 'I05 persist tables that were only emptied by a flush',
    seen: /table vm_sources is left over in tuist\.runners/,
    noted: /removed leftover table vm_sources from tuist\.runners/,
    make(given) {
      write(given, ANCHOR_FILE, oldRules('persist'));
      const load = `pfctl -a tuist.runners -f ${ANCHOR_FILE}`;
      return byHand(given, `${load}; pfctl -a tuist.runners -F all; pfctl -a tuist.runners -F Tables`);
    },
  },
  {
    name: 'the operators’ job, loaded and with other arguments',
    seen: /launchd runs dev\.tuist\.pfctl-runners with \/sbin\/pfctl -f/,
    async make(given) {
      const words = ['/sbin/pfctl', '-f', '/etc/pf.conf', '-E'].map(word => `<string>${word}</string>`).join('');
      const plist = `<plist version="1.0"><dict><key>Label</key><string>dev.tuist.pfctl-runners</string><key>ProgramArguments</key><array>${words}</array><key>RunAtLoad</key><true/></dict></plist>\n`;
      write(given, '/Library/LaunchDaemons/dev.tuist.pfctl-runners.plist', plist);
      await byHand(given, 'launchctl bootstrap system /Library/LaunchDaemons/dev.tuist.pfctl-runners.plist');
    },
  },
];

const JOB = 'dev.tuist.pfctl-runners';
const PLIST = `/Library/LaunchDaemons/${JOB}.plist`;

/** Damage to a host that was in sync. */
const fromInSync: readonly Damage[] = [
  ...[
    ['the rules flushed', 'pfctl -F rules', /the running ruleset has no anchor com\.apple\/\*/],
    [
      'the live anchor flushed',
      'pfctl -a com.apple/tuist.runners -F rules',
      /no rules are loaded in anchor com\.apple/,
    ],
    ['the anchor flushed as a whole', 'pfctl -a com.apple/tuist.runners -F all', /no rules are loaded/],
    ['a table killed under the rules', 'pfctl -a tuist.runners -t vm_sources -T kill', /the table vm_sources of tuist/],
    [
      'other rules loaded',
      'echo pass | pfctl -a com.apple/tuist.runners -f -',
      /differ from the expected rules \(1 loaded, 20 expected/,
    ],
    ['pf disabled by hand', 'pfctl -d', /pf is disabled, expected enabled; Minifleet holds no pf reference/],
    [
      'our reference given back',
      'pfctl -e; pfctl -X "$(cat /var/run/tuist-pf-runners.token)"',
      /holds no pf reference/,
    ],
    ['the token emptied', ': > /var/run/tuist-pf-runners.token', /Minifleet holds no pf reference/],
    ['the token lost', 'rm /var/run/tuist-pf-runners.token', /Minifleet holds no pf reference/],
    ['the rules deleted', `rm ${ANCHOR_FILE}`, /tuist\.runners is missing.*pf rejects .*No such file/],
    ['the rules edited', `echo '# by hand' >> ${ANCHOR_FILE}`, /tuist\.runners has unexpected content/],
    ['the rules for all to write', `chmod 666 ${ANCHOR_FILE}`, /has mode 0666, expected 0644/],
    ['the rules someone else’s', `chown m1:staff ${ANCHOR_FILE}`, /belongs to 501:20, expected root:wheel/],
    ['pf.conf deleted', 'rm /etc/pf.conf', /pf\.conf is missing/],
    ['pf.conf emptied', ': > /etc/pf.conf', /contains the block 0 times/],
    [
      'the end marker lost',
      "sed -i.bak '/^# END/d' /etc/pf.conf",
      /contains the block 0 times.*4 lines of older forms/,
    ],
    ['the begin marker lost', "sed -i.bak '/^# BEGIN/d' /etc/pf.conf", /contains the block 0 times/],
    ['the block emptied', "sed -i.bak '/^load anchor .tuist/d' /etc/pf.conf", /block in pf\.conf differs/],
    ['a rule after the block', "echo 'pass out all' >> /etc/pf.conf", /block in pf\.conf differs/],
    ['the loader deleted', 'rm /usr/local/bin/tuist-pf-runners', /tuist-pf-runners is missing/],
    ['the job taken out', `launchctl bootout system/${JOB}; sleep 1`, /launchd has no job dev\.tuist\.pfctl-runners/],
    ['the job disabled', `launchctl disable system/${JOB}`, /is disabled and would not start at the next boot/],
    ['the property list for all to write', `chmod 666 ${PLIST}`, /plist is writable by other users/],
  ].map(([name, script, seen]) => ({
    name: String(name),
    seen: seen as RegExp,
    make: (given: TestHost) => byHand(given, String(script)),
  })),
  {
    name: 'pf.conf replaced by what macOS ships',
    seen: /contains the block 0 times, expected once/,
    make: given => write(given, '/etc/pf.conf', read(testHost(), '/etc/pf.conf')),
  },
  {
    name: 'pf.conf with carriage returns, and a boot that could not read it',
    seen: /has carriage returns, which pf rejects.*the running ruleset has no/,
    async make(given) {
      write(given, '/etc/pf.conf', read(given, '/etc/pf.conf').replaceAll('\n', '\r\n'));
      const rebooted = given.mac.reboot();
      await given.clock.advance(seconds(40));
      await rebooted;
    },
  },
  {
    name: 'pf.conf without a line end at its end',
    seen: /contains the block 0 times/,
    make: given => write(given, '/etc/pf.conf', read(testHost(), '/etc/pf.conf').trimEnd()),
  },
];

async function assertRepaired(given: TestHost, { name, seen, noted = /^/, make }: Damage): Promise<void> {
  await make(given);
  const { before, after, notes } = await install(given);
  assert.match(before.state === 'drift' ? before.differences.join('; ') : before.state, seen, name);
  assert.deepEqual(after, { state: 'current' }, name);
  assert.match(notes.join('; '), noted, name);
  assert.deepEqual(breaches(given), [], name);
  assert.equal(read(given, '/etc/pf.conf').split('# BEGIN tuist.runners').length, 2, name);
  const stock = /^(scrub-anchor|nat-anchor|rdr-anchor|dummynet-anchor|anchor|load anchor) "com\.apple/gm;
  assert.equal(read(given, '/etc/pf.conf').match(stock)?.length, 6, name);
  assert.deepEqual((await install(given)).notes, [], name);
  const rebooted = given.mac.reboot();
  await given.clock.advance(seconds(40));
  await rebooted;
  assert.deepEqual(breaches(given), [], `${name}, rebooted`);
  assert.deepEqual(given.journal.gaps, [], name);
}

for (const damage of fromOlder)
  test(`vm-egress converges from ${damage.name}`, () => assertRepaired(testHost(), damage));

for (const damage of fromInSync) {
  test(`vm-egress converges from ${damage.name}`, async () => {
    const given = testHost();
    await install(given);
    await assertRepaired(given, damage);
  });
}

test('F01 vm-egress converges from rules in an anchor without a reference', () =>
  assertRepaired(testHost(), {
    name: 'F01',
    seen: /no rules are loaded in anchor com\.apple\/tuist\.runners/,
    make(given) {
      write(given, ANCHOR_FILE, oldRules(''));
      return byHand(given, `pfctl -E; pfctl -a tuist.runners -f ${ANCHOR_FILE}`);
    },
  }));

test('F04 pf.conf is loaded for lost references if that removes no foreign rules', () =>
  assertRepaired(testHost(), {
    name: 'F04',
    seen: /has no scrub-anchor com\.apple\/\*.*has no nat-anchor com\.apple\/\*/,
    noted: /loaded \/etc\/pf\.conf: the running ruleset had lost .*nat-anchor com\.apple\/\*/,
    make(given) {
      pfOf(given.mac).settings.wholeReloadCollides = false;
      return byHand(given, 'echo \'anchor "com.apple/*"\' > /tmp/older; pfctl -f /tmp/older');
    },
  }));

test('F04 with foreign rules the lost references wait for a reboot', async () => {
  const given = testHost();
  await byHand(given, 'pfctl -F rules; pfctl -F nat');
  startInternetSharing(given.mac);
  const { after } = await install(given);
  assert.equal(after.state, 'needs reboot');
  assert.match(JSON.stringify(after), /the running ruleset has no scrub-anchor com\.apple\/\*: anchors below it/);
  assert.match((await install(given)).before.state, /needs reboot/);
  assert.equal(pfOf(given.mac).rulesets.get('')?.rules.nat.length, 1);
  const rebooted = given.mac.reboot();
  await given.clock.advance(seconds(40));
  await rebooted;
  assert.deepEqual((await install(given)).before, { state: 'current' });
  assert.deepEqual(breaches(given), []);
});
