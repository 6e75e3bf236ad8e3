import { type PlannedStep, wanted } from '../../engine/step.ts';
import { DEFAULT_BLOCKED, DEFAULT_GUESTS } from '../../steps/vm-egress/egress-spec.ts';
import { vmEgress } from '../../steps/vm-egress/vm-egress.ts';
import type { OurScene, OurWay } from './our-way.ts';

const step: PlannedStep = wanted(vmEgress, { guests: DEFAULT_GUESTS, blocked: DEFAULT_BLOCKED, allow: [] });

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** What pf.conf holds after three runs, and whether pf would take it at the next boot. */
async function conf({ mac }: OurScene): Promise<string> {
  const text = mac.read('/etc/pf.conf').toString();
  const { code } = await mac.run('sudo pfctl -nf /etc/pf.conf');
  const held = [
    `${count(text, /^# BEGIN tuist\.runners$/gm)} marked block`,
    `${count(text, /^load anchor "tuist\.runners"/gm)} load`,
    `${count(text, /^[a-z -]*anchor "com\.apple/gm)} lines of com.apple`,
  ];
  return `pf.conf holds ${held.join(', ')}; pfctl -nf: exit status ${code}`;
}

const filter = ({ guest }: OurScene): string =>
  `a guest ${guest.reaches('10.1.2.3', 443) ? 'still reaches' : 'does not reach'} 10.1.2.3`;

/** A state of pf.conf that made pf refuse the whole of it. */
const twiceLoaded = (incident: Pick<OurWay, 'id' | 'title' | 'row' | 'did'>): OurWay => ({
  ...incident,
  seen: /1 marked block, 1 load, 6 lines of com\.apple; pfctl -nf: exit status 0; changes of the runs after: 0; .* does not reach/,
  async run(scene) {
    await scene.oldWay(incident.id);
    await scene.converge(step);
    const again = [await scene.converge(step), await scene.converge(step)];
    const changes = again.flatMap(({ notes }) => notes).length;
    return `${await conf(scene)}; changes of the runs after: ${changes}; ${filter(scene)}`;
  },
});

/** Tables that kept their names, so that no load succeeded. */
const leftTables = (incident: Pick<OurWay, 'id' | 'title' | 'row' | 'did' | 'seen'>): OurWay => ({
  ...incident,
  async run(scene) {
    await scene.oldWay(incident.id);
    const flushes = (): number => scene.happened().filter(({ what }) => what === 'pf flush').length;
    const before = flushes();
    const { after, notes } = await scene.converge(step);
    const killed = notes.filter(note => note.startsWith('killed')).join(', ') || 'killed nothing';
    return `${killed}; flushes of ours: ${flushes() - before}; loaded rules as wanted: ${after.state}; ${filter(scene)}`;
  },
});

const VERIFIED = 'flushes of ours: 0; loaded rules as wanted: current; a guest does not reach';

/** What the firewall's incidents come to, done our way. */
export const firewallOurWay: readonly OurWay[] = [
  twiceLoaded({
    id: 'I01',
    title: 'the anchor block ends up in pf.conf twice',
    row: 'exactly one marked block after any number of runs',
    did: 'converged three times; the block is found by what it says, marked or not',
  }),
  twiceLoaded({
    id: 'I02',
    title: 'a marked block is added to a host that has the older unmarked stanza',
    row: 'unmarked form removed, one block, stock com.apple/* anchors intact',
    did: 'removed every form of the block before writing the marked one',
  }),
  leftTables({
    id: 'I03',
    title: 'persist tables are left in the main ruleset',
    row: 'both scopes killed, what was killed is reported, load verified',
    did: 'killed the tables at both scopes, loaded, compared the loaded rules',
    seen: new RegExp(`killed the table vm_sources left at the main ruleset.*${VERIFIED}`),
  }),
  leftTables({
    id: 'I04',
    title: 'persist tables are left at the anchor',
    row: 'both scopes killed, what was killed is reported, load verified',
    did: 'killed the tables at both scopes, loaded, compared the loaded rules',
    seen: new RegExp(`killed the table vm_sources left at tuist\\.runners.*${VERIFIED}`),
  }),
  leftTables({
    id: 'I05',
    title: 'a flush is taken for a removal',
    row: 'never relied on',
    did: 'killed the tables; nothing was flushed',
    seen: new RegExp(`killed the table vm_sources left at tuist\\.runners.*${VERIFIED}`),
  }),
  {
    id: 'F01',
    title: 'the guests’ filter is installed and never evaluated',
    row: 'in force at once on a live host, and seen as missing until it is',
    did: 'asked the kernel which rules it evaluates, loaded where it does',
    seen: /found: .*no rules are loaded at com\.apple\/tuist\.runners.*; then current; a guest does not reach 10\.1\.2\.3/,
    async run(scene) {
      await scene.oldWay('F01');
      const { before, after } = await scene.converge(step);
      const found = before.state === 'current' ? 'nothing' : before.differences.join(', ');
      return `found: ${found}; then ${after.state}; ${filter(scene)}`;
    },
  },
  {
    id: 'F04',
    title: 'jobs hang for hours: NAT rules exist and are never evaluated',
    row: 'a reference the running ruleset lost is named and restored, and NAT is evaluated again',
    did: 'compared the references of the running ruleset with those of pf.conf',
    seen: /had lost .*nat-anchor com\.apple\/\*.*; packets to the cache leave with the host’s address; .* does not reach/,
    async run(scene) {
      await scene.oldWay('F04');
      const { notes } = await scene.converge(step);
      const restored = notes.find(note => note.includes('had lost')) ?? 'nothing restored';
      const leaves = scene.guest.isTranslated('1.1.1.1') ? 'the host’s address' : 'the guest’s';
      return `${restored}; packets to the cache leave with ${leaves}; ${filter(scene)}`;
    },
  },
];
