import { createHash } from 'node:crypto';
import type { Mac } from '../../mac.ts';
import { privateNetworkOf } from '../../private-network/private-network.ts';
import type { Program } from '../../program.ts';
import { refuseForm } from '../options.ts';

interface Interface {
  readonly name: string;
  readonly flags: string;
  readonly ether?: string;
  readonly address: string | undefined;
  readonly netmask: string;
}

/** /sbin/ifconfig: all interfaces, or one by its name; nothing can be changed with it here. */
export const ifconfig: Program = run => {
  const words = run.argv.slice(1).filter(word => word !== '-a');
  const [wanted] = words;
  if (words.length > 1 || wanted?.startsWith('-')) return refuseForm(run);
  const shown = interfacesOf(run.mac).filter(({ name }) => wanted === undefined || name === wanted);
  if (shown.length === 0) {
    run.err(`ifconfig: interface ${wanted} does not exist\n`);
    return 1;
  }
  for (const one of shown) run.out(describe(one));
  return 0;
};

const UP = 'flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500';

const interfacesOf = (mac: Mac): Interface[] => [
  {
    name: 'lo0',
    flags: 'flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> mtu 16384',
    address: '127.0.0.1',
    netmask: '0xff000000',
  },
  { name: 'en0', flags: UP, ether: etherOf(mac), address: mac.options.address, netmask: '0xffffff00' },
  ...privateNetworkOf(mac).vlans.map(({ device, address }) => ({
    name: device,
    flags: UP,
    ether: etherOf(mac),
    address,
    netmask: '0xfffffc00',
  })),
];

const describe = ({ name, flags, ether, address, netmask }: Interface): string =>
  `${[
    `${name}: ${flags}`,
    ...(ether === undefined ? [] : [`ether ${ether}`]),
    ...(address === undefined ? [] : [`inet ${address} netmask ${netmask}`]),
    ...(ether === undefined ? [] : ['status: active']),
  ].join('\n\t')}\n`;

/** Apple's prefix; the rest tells one Mac from another. */
const etherOf = (mac: Mac): string =>
  `4c:20:b8:${createHash('sha256').update(mac.options.serverId).digest('hex').slice(0, 6).match(/../g)?.join(':')}`;
