import { DEFAULT_BLOCKED, DEFAULT_GUESTS, planStep, vmEgress } from '@minifleet/host/testing';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import { checkFilter, readFilter } from './fixtures/guest-filter.ts';
import { repeatOldWay } from './fixtures/preconditions.ts';
import { type Incident, type LiveFault, type OldWay, type OurWay, REPAIRED_WITHIN } from './incident.ts';
import type { MacEnv, MacShell } from './old-way-env.ts';
import type { OurWayEnv } from './our-way-env.ts';

const ANCHOR_FILE = '/etc/pf.anchors/tuist.runners';

/** The operators' rules. The tables are on lines 11 and 12, which pfctl's recorded errors name. */
const anchorRules = (flag: 'persist' | ''): string =>
  `# Customer VMs sit on vmnet and bypass the cluster's network policy.
# This anchor is the only place where their traffic is filtered.
#
# vm_sources   the range vmnet gives to guests
# blocked_dst  private networks, link-local
#
# Order matters: the first quick match wins.
#
# Managed by the host bootstrap.
#
table <vm_sources> ${flag} { 192.168.64.0/22 }
table <blocked_dst> ${flag} { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }
block drop quick from <vm_sources> to <blocked_dst>
`;

const STANZA = `anchor "tuist.runners"
load anchor "tuist.runners" from "${ANCHOR_FILE}"`;

const BUSY = /cannot define table vm_sources: Resource busy/;
const LOAD = 'sudo pfctl -f /etc/pf.conf';
const LOAD_ANCHOR = `sudo pfctl -a tuist.runners -f ${ANCHOR_FILE}`;

/** Runs a script and returns standard error first, because pfctl reports most things there. */
async function outputOf(mac: MacShell, script: string): Promise<string> {
  const { code, out, err } = await mac.run(script);
  return `${err}${out}exit status ${code}`;
}

async function openHost(env: MacEnv, flag: 'persist' | '' = ''): Promise<MacShell> {
  const mac = await env.mac();
  mac.write(ANCHOR_FILE, anchorRules(flag));
  return mac;
}

interface IneffectiveCleanup extends Pick<OldWay, 'procedure'> {
  /** Script of an earlier version that created the tables. */
  readonly left: string;
  /** Script that should remove the tables before the anchor is loaded again, and does not. */
  readonly cleanup: string;
}

const leftTables = ({ procedure, left, cleanup }: IneffectiveCleanup): OldWay<MacEnv> => ({
  procedure,
  symptom: BUSY,
  async run(env) {
    const mac = await openHost(env, 'persist');
    await mac.run(left);
    return outputOf(mac, `${cleanup}\n${LOAD_ANCHOR}`);
  },
});

const step = planStep(vmEgress, { guests: DEFAULT_GUESTS, blocked: DEFAULT_BLOCKED, allow: [] });

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Describes pf.conf, and whether pf would accept it at the next boot. */
async function describeConf({ mac }: OurWayEnv): Promise<string> {
  const text = mac.read('/etc/pf.conf').toString();
  const { code } = await mac.run('sudo pfctl -nf /etc/pf.conf');
  const counts = [
    `${count(text, /^# BEGIN tuist\.runners$/gm)} marked block`,
    `${count(text, /^load anchor "tuist\.runners"/gm)} load`,
    `${count(text, /^[a-z -]*anchor "com\.apple/gm)} lines of com.apple`,
  ];
  return `pf.conf has ${counts.join(', ')}; pfctl -nf: exit status ${code}`;
}

const describeGuest = ({ guest }: OurWayEnv): string =>
  `a guest ${guest.reaches('10.1.2.3', 443) ? 'still reaches' : 'cannot reach'} 10.1.2.3`;

/** For a pf.conf that pf rejects as a whole. */
const convergesConf = (texts: Pick<OurWay, 'expected' | 'procedure'>): OurWay => ({
  ...texts,
  result:
    /1 marked block, 1 load, 6 lines of com\.apple; pfctl -nf: exit status 0; changes in later runs: 0; .* cannot reach/,
  async run(env) {
    await env.oldWay();
    await env.converge(step);
    const later = [await env.converge(step), await env.converge(step)];
    const changes = later.flatMap(({ notes }) => notes).length;
    return `${await describeConf(env)}; changes in later runs: ${changes}; ${describeGuest(env)}`;
  },
});

/** For tables that keep their names, so that no load succeeds. */
const killsTables = (texts: Pick<OurWay, 'expected' | 'procedure'>, scope: string): OurWay => ({
  ...texts,
  result: new RegExp(
    `removed leftover table vm_sources from ${scope}.*flushes: 0; loaded rules: current; a guest cannot reach`,
  ),
  async run(env) {
    await env.oldWay();
    const flushes = (): number => env.journal().filter(({ what }) => what === 'pf flush').length;
    const before = flushes();
    const { after, notes } = await env.converge(step);
    const removed = notes.filter(note => note.startsWith('removed leftover')).join(', ') || 'removed no table';
    return `${removed}; flushes: ${flushes() - before}; loaded rules: ${after.state}; ${describeGuest(env)}`;
  },
});

/** Repeats the original procedure, after which every load of the filter fails with `Resource busy`. */
const busy = (id: string, oldWay: OldWay<MacEnv>, expected: string): LiveFault => ({
  fleets: FLEETS,
  expected,
  within: REPAIRED_WITHIN,
  async inject(target) {
    const before = await readFilter(target);
    await repeatOldWay(target, id, oldWay);
    return { action: oldWay.procedure, check: checkFilter(target, before) };
  },
});

const blockTwice: OldWay<MacEnv> = {
  procedure: 'appended the block whenever a grep for it found no match, which happened twice',
  symptom: BUSY,
  async run(env) {
    const mac = await openHost(env);
    // The pattern lacks the quotes, so it never matches the appended text.
    const append = `set -e
grep -q '^anchor tuist.runners' /etc/pf.conf || printf '%s\\n' '${STANZA}' | sudo tee -a /etc/pf.conf >/dev/null`;
    await mac.run(append);
    await mac.run(append);
    return outputOf(mac, LOAD);
  },
};

const unmarkedStanza: OldWay<MacEnv> = {
  procedure: 'removed only the marked range, then appended a marked block next to the stanza of an older bootstrap',
  symptom: BUSY,
  async run(env) {
    const mac = await openHost(env);
    mac.append('/etc/pf.conf', `${STANZA}\n`);
    await mac.run(`set -e
sudo sed -i.bak '/^# BEGIN tuist.runners$/,/^# END tuist.runners$/d' /etc/pf.conf
printf '%s\\n' '# BEGIN tuist.runners' '${STANZA}' '# END tuist.runners' | sudo tee -a /etc/pf.conf >/dev/null`);
    return outputOf(mac, LOAD);
  },
};

const tablesInMainRuleset = leftTables({
  procedure: 'killed only the tables of the anchor, ignored the error, and loaded',
  left: 'sudo pfctl -t vm_sources -T add 192.168.64.0/22',
  cleanup: 'sudo pfctl -a tuist.runners -t vm_sources -T kill 2>/dev/null || true',
});

const tablesAtAnchor = leftTables({
  procedure: 'killed only the tables of the main ruleset, ignored the error, and loaded',
  left: LOAD_ANCHOR,
  cleanup: 'sudo pfctl -t vm_sources -T kill 2>/dev/null || true',
});

const flush = leftTables({
  procedure: 'ran pfctl -F all and -F Tables before loading',
  left: LOAD_ANCHOR,
  cleanup: 'sudo pfctl -a tuist.runners -F all\nsudo pfctl -a tuist.runners -F Tables',
});

const BOTH_SCOPES = {
  expected: 'the tables at both scopes are killed and reported, and the loaded rules are verified',
  procedure: 'killed the tables at both scopes, loaded, compared the loaded rules',
};

/** Incidents with pf.conf and its tables. */
export const pfRuleIncidents: readonly Incident[] = [
  {
    id: 'I01',
    title: 'the anchor block ends up in pf.conf twice',
    oldWay: blockTwice,
    ourWay: convergesConf({
      expected: 'pf.conf has exactly one marked block after any number of runs',
      procedure: 'converged three times; the block is found by its content, with or without markers',
    }),
    live: busy('I01', blockTwice, 'pf.conf has the block once, and pf accepts it'),
  },
  {
    id: 'I02',
    title: 'a marked block is added to a host that has the older unmarked stanza',
    oldWay: unmarkedStanza,
    ourWay: convergesConf({
      expected: 'the unmarked stanza is removed, pf.conf has one block, and the stock com.apple/* anchors are intact',
      procedure: 'removed every form of the block before writing the marked one',
    }),
    live: busy('I02', unmarkedStanza, 'the unmarked stanza is removed, and pf.conf has the block once'),
  },
  {
    id: 'I03',
    title: 'persist tables are left in the main ruleset',
    oldWay: tablesInMainRuleset,
    ourWay: killsTables(BOTH_SCOPES, 'the main ruleset'),
    live: busy(
      'I03',
      tablesInMainRuleset,
      'the tables in the main ruleset are killed, and the desired rules are loaded',
    ),
  },
  {
    id: 'I04',
    title: 'persist tables are left at the anchor',
    oldWay: tablesAtAnchor,
    ourWay: killsTables(BOTH_SCOPES, 'tuist\\.runners'),
    live: busy('I04', tablesAtAnchor, 'the tables at the anchor are killed, and the desired rules are loaded'),
  },
  {
    id: 'I05',
    title: 'a flush is used to remove tables, but does not remove them',
    oldWay: flush,
    ourWay: killsTables(
      { expected: 'no step relies on a flush', procedure: 'killed the tables and flushed nothing' },
      'tuist\\.runners',
    ),
    live: busy('I05', flush, 'the flushed tables are killed, and the desired rules are loaded'),
  },
];
