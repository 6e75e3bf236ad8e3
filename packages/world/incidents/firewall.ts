import type { OldWay } from './old-way.ts';
import type { MacScene, SceneMac } from './scene-mac.ts';

const ANCHOR_FILE = '/etc/pf.anchors/tuist.runners';

/** The operators' rules. Both tables stand where pfctl's errors named them: on lines 11 and 12. */
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

/** Everything said on stderr; pfctl says most of it there. */
async function said(mac: SceneMac, script: string): Promise<string> {
  const { code, out, err } = await mac.run(script);
  return `${err}${out}exit status ${code}`;
}

async function host(scene: MacScene, flag: 'persist' | '' = ''): Promise<SceneMac> {
  const mac = await scene.mac();
  mac.write(ANCHOR_FILE, anchorRules(flag));
  return mac;
}

/** A cleaning that does not clean, before the anchor is loaded again. */
interface Cleaning extends Pick<OldWay, 'id' | 'title' | 'did'> {
  /** What an earlier version of the script left behind. */
  readonly left: string;
  readonly cleaning: string;
}

const LOAD_ANCHOR = `sudo pfctl -a tuist.runners -f ${ANCHOR_FILE}`;

const leftTables = ({ id, title, did, left, cleaning }: Cleaning): OldWay<MacScene> => ({
  id,
  title,
  did,
  seen: BUSY,
  async run(scene) {
    const mac = await host(scene, 'persist');
    await mac.run(left);
    return said(mac, `${cleaning}\n${LOAD_ANCHOR}`);
  },
});

export const firewallIncidents: readonly OldWay<MacScene>[] = [
  {
    id: 'I01',
    title: 'the anchor block ends up in pf.conf twice',
    did: 'appended the block whenever a grep for it missed; the grep missed twice',
    seen: BUSY,
    async run(scene) {
      const mac = await host(scene);
      // The pattern lacks the quotes, so it never matches what is appended.
      const append = `set -e
grep -q '^anchor tuist.runners' /etc/pf.conf || printf '%s\\n' '${STANZA}' | sudo tee -a /etc/pf.conf >/dev/null`;
      await mac.run(append);
      await mac.run(append);
      return said(mac, LOAD);
    },
  },
  {
    id: 'I02',
    title: 'a marked block is added to a host that has the older unmarked stanza',
    did: 'stripped only the marked range, then appended a marked block beside the stanza of an older bootstrap',
    seen: BUSY,
    async run(scene) {
      const mac = await host(scene);
      mac.append('/etc/pf.conf', `${STANZA}\n`);
      await mac.run(`set -e
sudo sed -i.bak '/^# BEGIN tuist.runners$/,/^# END tuist.runners$/d' /etc/pf.conf
printf '%s\\n' '# BEGIN tuist.runners' '${STANZA}' '# END tuist.runners' | sudo tee -a /etc/pf.conf >/dev/null`);
      return said(mac, LOAD);
    },
  },
  leftTables({
    id: 'I03',
    title: 'persist tables are left in the main ruleset',
    did: 'killed the tables of the anchor only, with the error swallowed, and loaded',
    left: 'sudo pfctl -t vm_sources -T add 192.168.64.0/22',
    cleaning: 'sudo pfctl -a tuist.runners -t vm_sources -T kill 2>/dev/null || true',
  }),
  leftTables({
    id: 'I04',
    title: 'persist tables are left at the anchor',
    did: 'killed the tables of the main ruleset only, with the error swallowed, and loaded',
    left: LOAD_ANCHOR,
    cleaning: 'sudo pfctl -t vm_sources -T kill 2>/dev/null || true',
  }),
  leftTables({
    id: 'I05',
    title: 'a flush is taken for a removal',
    did: 'ran pfctl -F all and -F Tables before loading',
    left: LOAD_ANCHOR,
    cleaning: 'sudo pfctl -a tuist.runners -F all\nsudo pfctl -a tuist.runners -F Tables',
  }),
];
