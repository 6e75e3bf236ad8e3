import { type Duration, seconds } from '@minifleet/clock';
import type { Mac, MacPart, Program, Run } from '../mac.ts';

/** A VLAN interface that a user created on the Mac. */
interface Vlan {
  readonly name: string;
  readonly parent: string;
  readonly device: string;
  readonly tag: number;
  address: string | undefined;
}

interface PrivateNetwork {
  readonly vlans: Vlan[];
  /** Leases of the vendor's network by VLAN tag. An unknown tag gets no lease and no error (facts §3.9). */
  readonly leases: Map<number, string>;
  leaseTakes: Duration;
}

const KEY = Symbol('private network');

export const privateNetworkOf = (mac: Mac): PrivateNetwork =>
  mac.state(KEY, () => ({ vlans: [], leases: new Map(), leaseTakes: seconds(2) }));

/** Requests a lease. The address arrives later, or never. */
function askForLease(mac: Mac, vlan: Vlan): void {
  const network = privateNetworkOf(mac);
  mac.around.clock.after(network.leaseTakes, () => {
    if (!mac.running || !network.vlans.includes(vlan)) return;
    vlan.address = network.leases.get(vlan.tag);
    mac.around.journal.add(`mac/${mac.options.name}`, 'vlan lease', `${vlan.device} ${vlan.address ?? 'none'}`);
  });
}

type NetworksetupCommand = (run: Run, words: readonly string[]) => number;

const COMMANDS: Readonly<Record<string, NetworksetupCommand>> = {
  '-listVLANs': run => listVlans(run),
  '-createVLAN': (run, words) => asRoot(run, () => createVlan(run, words)),
  '-deleteVLAN': (run, words) => asRoot(run, () => deleteVlan(run, words)),
  '-setdhcp': (run, words) => asRoot(run, () => setDhcp(run, words)),
};

/** Simulates /usr/sbin/networksetup: the VLAN commands of facts §3.9. Its messages and exit codes are derived. */
const networksetup: Program = run => {
  const [, name = '', ...words] = run.argv;
  const command = COMMANDS[Object.keys(COMMANDS).find(known => known.toLowerCase() === name.toLowerCase()) ?? ''];
  if (command) return command(run, words);
  run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
  run.out(`${name} is not a recognized command.\n** Error: Unable to find command.\n`);
  return 5;
};

function asRoot(run: Run, act: () => number): number {
  if (run.user.uid === 0) return act();
  run.out('** Error: Command requires admin privileges.\n');
  return 14;
}

function listVlans(run: Run): number {
  const { vlans } = privateNetworkOf(run.mac);
  const entry = (vlan: Vlan): string =>
    `VLAN User Defined Name: ${vlan.name}\nParent Device: ${vlan.parent}\nDevice ("Hardware" Port): ${vlan.device}\nTag: ${vlan.tag}\n`;
  run.out(vlans.length > 0 ? vlans.map(entry).join('\n') : 'There are no VLANs currently configured on this system.\n');
  return 0;
}

function createVlan(run: Run, [name = '', parent = '', tag = '']: readonly string[]): number {
  const { vlans } = privateNetworkOf(run.mac);
  if (
    name === '' ||
    parent !== 'en0' ||
    !/^\d+$/.test(tag) ||
    vlans.some(vlan => vlan.name === name || vlan.tag === Number(tag))
  )
    return invalid(run);
  vlans.push({ name, parent, device: `vlan${vlans.length}`, tag: Number(tag), address: undefined });
  return 0;
}

/** The tag must match the interface: a script that only knows the new tag cannot delete the old interface. */
function deleteVlan(run: Run, [name, parent, tag]: readonly string[]): number {
  const { vlans } = privateNetworkOf(run.mac);
  const at = vlans.findIndex(vlan => vlan.name === name && vlan.parent === parent && String(vlan.tag) === tag);
  if (at < 0) return invalid(run);
  vlans.splice(at, 1);
  return 0;
}

/** Tahoe names the service of a VLAN `<name> Configuration` (facts §3.9). */
function setDhcp(run: Run, [name = '']: readonly string[]): number {
  const vlan = privateNetworkOf(run.mac).vlans.find(one => `${one.name} Configuration` === name);
  if (!vlan) {
    run.out(`${name} is not a recognized network service.\n** Error: The parameters were not valid.\n`);
    return 4;
  }
  askForLease(run.mac, vlan);
  return 0;
}

function invalid(run: Run): number {
  run.out('** Error: The parameters were not valid.\n');
  return 4;
}

/** Simulates /usr/sbin/ipconfig getifaddr: without an address it prints nothing and exits with 1. */
const ipconfig: Program = run => {
  const [, verb, device = ''] = run.argv;
  if (verb !== 'getifaddr') {
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
    run.err('usage: ipconfig <command> <args>\n');
    return 1;
  }
  const vlan = privateNetworkOf(run.mac).vlans.find(one => one.device === device);
  const address = device === 'en0' ? run.mac.options.address : vlan?.address;
  if (address === undefined) return 1;
  run.out(`${address}\n`);
  return 0;
};

/** VLAN interfaces of the vendor's private network. They survive a reboot; their leases are requested again. */
export const privateNetworkPart: MacPart = mac => {
  mac.onShutDown(() => {
    for (const vlan of privateNetworkOf(mac).vlans) vlan.address = undefined;
  });
  mac.onBoot(() => {
    for (const vlan of privateNetworkOf(mac).vlans) askForLease(mac, vlan);
  });
  return { programs: { '/usr/sbin/networksetup': networksetup, '/usr/sbin/ipconfig': ipconfig } };
};
