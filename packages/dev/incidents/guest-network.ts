import { DEFAULT_BLOCKED, DEFAULT_GUESTS, planStep, vmEgress } from '@minifleet/host/testing';
import { allowed, pfOf, translation } from '@minifleet/world/mac';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import { checkFilter, guestOf, RULES_FILE, readFilter } from './fixtures/guest-filter.ts';
import { repeatOldWay, requireEffect } from './fixtures/preconditions.ts';
import { type Incident, type OldWay, REPAIRED_WITHIN } from './incident.ts';
import type { MacEnv } from './old-way-env.ts';
import { convergeAll, type OurWayEnv } from './our-way-env.ts';

const GUEST = '192.168.64.5';
const GITHUB = '140.82.121.3';
const FILTER = `table <vm_sources> { 192.168.64.0/22 }
table <blocked_dst> { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }
block drop quick from <vm_sources> to <blocked_dst>
`;

const step = planStep(vmEgress, { guests: DEFAULT_GUESTS, blocked: DEFAULT_BLOCKED, allow: [] });

const describeGuest = ({ guest }: OurWayEnv): string =>
  `a guest ${guest.reaches('10.1.2.3', 443) ? 'still reaches' : 'cannot reach'} 10.1.2.3`;

const notEvaluated: OldWay<MacEnv> = {
  procedure: 'loaded the anchor on a live host whose main ruleset does not refer to it, and reported success',
  symptom: /exit status 0, and a guest still reaches 10\.1\.2\.3/,
  async run(env) {
    const mac = await env.mac();
    mac.write(RULES_FILE, FILTER);
    const { code } = await mac.run(`sudo pfctl -E; sudo pfctl -a tuist.runners -f ${RULES_FILE}`);
    const reaches = allowed(mac.mac, { from: GUEST, to: '10.1.2.3', port: 443 });
    return `install: exit status ${code}, and a guest ${reaches ? 'still reaches' : 'cannot reach'} 10.1.2.3`;
  },
};

const guardedPort: OldWay<MacEnv> = {
  procedure: 'blocked port 22 to protect the host, which also matches guest traffic that enters by the bridge',
  symptom: /a guest cannot reach port 22 of GitHub/,
  async run(env) {
    const mac = await env.mac();
    const guard = `pass in quick on lo0 proto tcp from any to any port 22
pass in quick proto tcp from 203.0.113.0/24 to any port 22
block drop in quick proto tcp from any to any port 22
`;
    await mac.run('sudo pfctl -E; sudo pfctl -a com.apple/tuist.sshguard -f -', { stdin: guard });
    const reaches = allowed(mac.mac, { from: GUEST, to: GITHUB, port: 22, inOn: 'bridge100' });
    return `a guest ${reaches ? 'reaches' : 'cannot reach'} port 22 of GitHub`;
  },
};

const natNotEvaluated: OldWay<MacEnv> = {
  procedure:
    'loaded a file that pf rejects, so that an older ruleset without nat-anchor stayed, then loaded NAT rules below it',
  symptom: /exit status 0, and packets to the cache leave with 192\.168\.64\.5/,
  async run(env) {
    const mac = await env.mac();
    mac.write('/tmp/older.conf', 'anchor "com.apple/*"\n');
    mac.write(RULES_FILE, FILTER);
    const block = `anchor "tuist.runners"\nload anchor "tuist.runners" from "${RULES_FILE}"\n`;
    // The file was loaded at boot, before the system added its own rules.
    pfOf(mac.mac).settings.wholeReloadCollides = false;
    await mac.run('sudo pfctl -E; sudo pfctl -f /tmp/older.conf');
    mac.append('/etc/pf.conf', block + block);
    await mac.run('sudo pfctl -f /etc/pf.conf || true');
    const nat = 'nat on en0 inet from 192.168.64.0/22 to any -> (en0)\n';
    const { code } = await mac.run('sudo pfctl -a com.apple/tuist.vmnat -f -', { stdin: nat });
    const translated = translation(mac.mac, { from: GUEST, to: '1.1.1.1' }) !== undefined;
    return `NAT: exit status ${code}, and packets to the cache leave with ${translated ? 'the host’s address' : GUEST}`;
  },
};

/** Incidents with filter and NAT of guest VMs, from notes on the older system. */
export const guestNetworkIncidents: readonly Incident[] = [
  {
    id: 'F01',
    title: 'the VM filter is installed but never evaluated',
    oldWay: notEvaluated,
    ourWay: {
      expected: 'the filter is in force at once on a live host, and reported as missing until then',
      procedure: 'read from the kernel which rules it evaluates, and loaded the filter there',
      result:
        /found: .*no rules are loaded in anchor com\.apple\/tuist\.runners.*; then current; a guest cannot reach 10\.1\.2\.3/,
      async run(env) {
        await env.oldWay();
        const { before, after } = await env.converge(step);
        const found = before.state === 'current' ? 'nothing' : before.differences.join(', ');
        return `found: ${found}; then ${after.state}; ${describeGuest(env)}`;
      },
    },
    live: {
      fleets: FLEETS,
      expected: 'the running ruleset refers to the filter again, and guests are blocked',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const before = await readFilter(target);
        const { code } = await target.run(`pfctl -F rules && pfctl -a tuist.runners -f ${RULES_FILE}`);
        const reaches = guestOf(target).reachesPrivate() ? 'still reaches' : 'cannot reach';
        const output = `install: exit status ${code}, and a guest ${reaches} 10.1.2.3`;
        requireEffect(target, 'F01', notEvaluated.symptom, output);
        return {
          action: 'removed the references from the running ruleset, so that the loaded filter is not evaluated',
          check: checkFilter(target, before),
        };
      },
    },
  },
  {
    id: 'F02',
    title: 'git over SSH times out in guests',
    oldWay: guardedPort,
    ourWay: {
      expected: 'guests reach port 22 of GitHub, but not of the host',
      procedure: 'filtered by destination on the bridge interface of the guests, instead of blocking a port',
      result: /^converged; a guest reaches port 22 of GitHub, but not of the host$/,
      async run(env) {
        const outcome = await convergeAll(env, step);
        const reaches = env.guest.reaches(GITHUB, 22, 'bridge100') ? 'reaches' : 'cannot reach';
        const host = env.guest.reaches('192.168.64.1', 22, 'bridge100') ? 'and also' : 'but not';
        return `${outcome}; a guest ${reaches} port 22 of GitHub, ${host} of the host`;
      },
    },
    live: {
      fleets: FLEETS,
      expected: 'the rule is removed, and a guest reaches port 22 of GitHub',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const before = await readFilter(target);
        // Written to the file as well: a launchd job of the host loads it every minute and would undo a change of the kernel alone.
        await target.run(`rules=$(cat ${RULES_FILE})
printf '%s\\n' 'block drop in quick proto tcp from any to any port 22' "$rules" > ${RULES_FILE}
pfctl -a com.apple/tuist.runners -f ${RULES_FILE}`);
        const reaches = guestOf(target).reachesGithubBySsh() ? 'reaches' : 'cannot reach';
        requireEffect(target, 'F02', guardedPort.symptom, `a guest ${reaches} port 22 of GitHub`);
        return {
          action: 'blocked port 22 in the guest filter, which also blocks SSH from guests to GitHub',
          check: checkFilter(target, before, {
            holds: guestOf(target).reachesGithubBySsh,
            text: 'and reaches port 22 of GitHub',
          }),
        };
      },
    },
  },
  {
    id: 'F04',
    title: 'jobs hang for hours because NAT rules exist but are never evaluated',
    oldWay: natNotEvaluated,
    ourWay: {
      expected: 'a lost reference of the running ruleset is reported and restored, and NAT is evaluated again',
      procedure: 'compared the references of the running ruleset with those of pf.conf',
      result:
        /had lost .*nat-anchor com\.apple\/\*.*; packets to the cache leave with the host’s address; .* cannot reach/,
      async run(env) {
        await env.oldWay();
        const { notes } = await env.converge(step);
        const restored = notes.find(note => note.includes('had lost')) ?? 'nothing restored';
        const address = env.guest.isTranslated('1.1.1.1') ? 'the host’s address' : 'the guest’s address';
        return `${restored}; packets to the cache leave with ${address}; ${describeGuest(env)}`;
      },
    },
    live: {
      fleets: FLEETS,
      expected: 'pf.conf is correct and loaded, and packets of guests leave with the host’s address',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const before = await readFilter(target);
        const { settings } = pfOf(target.mac());
        const { wholeReloadCollides } = settings;
        await repeatOldWay(target, 'F04', natNotEvaluated);
        Object.assign(settings, { wholeReloadCollides });
        return {
          action: natNotEvaluated.procedure,
          check: checkFilter(target, before, {
            holds: guestOf(target).isTranslated,
            text: 'and its packets leave with the host’s address',
          }),
          async cleanUp() {
            await target.run('pfctl -a com.apple/tuist.vmnat -F nat; rm -f /tmp/older.conf');
          },
        };
      },
    },
  },
];
