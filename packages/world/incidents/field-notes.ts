import { allowed, translation } from '../mac/pf/packet.ts';
import { pfOf } from '../mac/pf/pf.ts';
import type { OldWay } from './old-way.ts';
import type { MacScene } from './scene-mac.ts';

const GUEST = '192.168.64.5';
const ANCHOR_FILE = '/etc/pf.anchors/tuist.runners';
const FILTER = `table <vm_sources> { 192.168.64.0/22 }
table <blocked_dst> { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }
block drop quick from <vm_sources> to <blocked_dst>
`;

/** What the notes on the operators' code tell beyond the forty incidents; F for field notes. */
export const fieldNotes: readonly OldWay<MacScene>[] = [
  {
    id: 'F01',
    title: 'the guests’ filter is installed and never evaluated',
    did: 'loaded the anchor on a live host whose main ruleset does not refer to it, and called it done',
    seen: /exit status 0, and a guest still reaches 10\.1\.2\.3/,
    async run(scene) {
      const mac = await scene.mac();
      mac.write(ANCHOR_FILE, FILTER);
      const { code } = await mac.run(`sudo pfctl -E; sudo pfctl -a tuist.runners -f ${ANCHOR_FILE}`);
      const reaches = allowed(mac.mac, { from: GUEST, to: '10.1.2.3', port: 443 });
      return `install: exit status ${code}, and a guest ${reaches ? 'still reaches' : 'does not reach'} 10.1.2.3`;
    },
  },
  {
    id: 'F02',
    title: 'git over SSH times out in guests',
    did: 'guarded port 22 of the host without a thought for guests, whose traffic enters by the bridge',
    seen: /a guest cannot reach port 22 of the forge/,
    async run(scene) {
      const mac = await scene.mac();
      const guard = `pass in quick on lo0 proto tcp from any to any port 22
pass in quick proto tcp from 203.0.113.0/24 to any port 22
block drop in quick proto tcp from any to any port 22
`;
      await mac.run('sudo pfctl -E; sudo pfctl -a com.apple/tuist.sshguard -f -', { stdin: guard });
      const reaches = allowed(mac.mac, { from: GUEST, to: '140.82.121.3', port: 22, inOn: 'bridge100' });
      return `a guest ${reaches ? 'reaches' : 'cannot reach'} port 22 of the forge`;
    },
  },
  {
    id: 'F03',
    title: 'every job is cold: the cache volume belongs to root',
    did: 'made the cache volume and left its owner as it was made',
    seen: /Permission denied|permission denied/,
    async run(scene) {
      const mac = await scene.mac();
      await mac.run(
        'sudo diskutil apfs addVolume disk3 APFS tuist-runner-cache -quota 80GiB && sudo diskutil enableOwnership /Volumes/tuist-runner-cache',
      );
      const { err } = await mac.run('touch /Volumes/tuist-runner-cache/warm');
      return err || 'the cache can be written';
    },
  },
  {
    id: 'F04',
    title: 'jobs hang for hours: NAT rules exist and are never evaluated',
    did: 'loaded a file pf refuses, so an older ruleset without nat-anchor stayed, and loaded NAT rules below it',
    seen: /exit status 0, and packets to the cache leave with 192\.168\.64\.5/,
    async run(scene) {
      const mac = await scene.mac();
      mac.write('/tmp/older.conf', 'anchor "com.apple/*"\n');
      mac.write(ANCHOR_FILE, FILTER);
      const block = `anchor "tuist.runners"\nload anchor "tuist.runners" from "${ANCHOR_FILE}"\n`;
      pfOf(mac.mac).settings.wholeReloadCollides = false; // it was loaded at a boot, before the system added its own
      await mac.run('sudo pfctl -E; sudo pfctl -f /tmp/older.conf');
      mac.append('/etc/pf.conf', block + block);
      await mac.run('sudo pfctl -f /etc/pf.conf || true');
      const nat = 'nat on en0 inet from 192.168.64.0/22 to any -> (en0)\n';
      const { code } = await mac.run('sudo pfctl -a com.apple/tuist.vmnat -f -', { stdin: nat });
      const translated = translation(mac.mac, { from: GUEST, to: '1.1.1.1' }) !== undefined;
      return `NAT: exit status ${code}, and packets to the cache leave with ${translated ? 'the host’s address' : GUEST}`;
    },
  },
];
