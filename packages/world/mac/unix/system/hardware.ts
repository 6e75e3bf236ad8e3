import { createHash } from 'node:crypto';
import type { Mac, Program, Run } from '../../mac.ts';
import { privateNetworkOf } from '../../private-network/networksetup.ts';
import { parseOptions, refuseForm } from '../getopt.ts';
import { resolve, statOf } from '../paths.ts';
import { memoryOf, memorySize } from './memory.ts';
import { kernelRelease, namesOf } from './names.ts';

const CPUS = 8;

export const swVers: Program = run => {
  const { version, build } = run.mac.options.macos;
  const [, flag] = run.argv;
  const values: Readonly<Record<string, string>> = {
    productname: 'macOS',
    productversion: version,
    buildversion: build,
  };
  if (flag === undefined) {
    run.out(`ProductName:\t\tmacOS\nProductVersion:\t\t${version}\nBuildVersion:\t\t${build}\n`);
    return 0;
  }
  const value = values[flag.replace(/^-+/, '').toLowerCase()];
  if (value === undefined) return refuseForm(run, `unrecognized option: ${flag}`);
  run.out(`${value}\n`);
  return 0;
};

function systemValues(mac: Mac): Readonly<Record<string, string>> {
  const cpus = String(mac.options.cpus ?? CPUS);
  const boot = Math.floor((mac.around.clock.now() - mac.uptime) / 1_000);
  const names = namesOf(mac);
  return {
    'hw.memsize': String(memorySize(mac)),
    'hw.ncpu': cpus,
    'hw.physicalcpu': cpus,
    'hw.logicalcpu': cpus,
    'hw.model': 'Macmini9,1',
    'hw.pagesize': '16384',
    'hw.machine': 'arm64',
    'hw.optional.arm64': '1',
    'machdep.cpu.brand_string': 'Apple M1',
    'kern.osversion': mac.options.macos.build,
    'kern.osproductversion': mac.options.macos.version,
    'kern.osrelease': kernelRelease(mac),
    'kern.ostype': 'Darwin',
    'kern.hostname': names.HostName ?? `${names.LocalHostName}.local`,
    'kern.boottime': `{ sec = ${boot}, usec = 0 } ${new Date(boot * 1_000).toUTCString()}`,
    'kern.bootsessionuuid': bootSessionUuid(mac),
    'kern.hv_support': '1',
    'kern.maxproc': '2784',
    'kern.maxprocperuid': '1856',
    'kern.memorystatus_vm_pressure_level': String(memoryOf(mac).pressure),
    'vm.loadavg': '{ 1.00 1.00 1.00 }',
    'vm.swapusage': 'total = 0.00M  used = 0.00M  free = 0.00M  (encrypted)',
  };
}

export const sysctl: Program = run => {
  const options = parseOptions(run, { letters: 'nabw', usage: 'sysctl [-bdehiNnoqx] [-B bufsize] name ...' });
  if (typeof options === 'number') return options;
  const values = systemValues(run.mac);
  let failed = 0;
  for (const name of options.operands) {
    const value = values[name];
    if (value === undefined) {
      run.err(`sysctl: unknown oid '${name}'\n`);
      run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `sysctl ${name}`);
      failed = 1;
    } else run.out(options.has('n') ? `${value}\n` : `${name}: ${value}\n`);
  }
  return failed;
};

/** df: one data volume, in blocks of 512 bytes (with -k, -m or -g in larger units). */
export const df: Program = run => {
  const options = parseOptions(run, {
    letters: 'kmgHhPl',
    usage: 'df [-b | -g | -H | -h | -k | -m | -P] [file | filesystem ...]',
  });
  if (typeof options === 'number') return options;
  for (const path of options.operands)
    if (!statOf(run, path)) {
      run.err(`df: ${path}: No such file or directory\n`);
      return 1;
    }
  if (options.has('h') || options.has('H')) return refuseForm(run);
  const [size, title] = options.has('g')
    ? [2 ** 30, '1G-blocks']
    : options.has('m')
      ? [2 ** 20, '1M-blocks']
      : options.has('k')
        ? [1024, '1024-blocks']
        : [512, '512-blocks'];
  const { free, total } = run.mac.files.space;
  const blocks = [total, total - free, free].map(bytes => Math.floor(bytes / size));
  const used = Math.ceil(((total - free) / total) * 100);
  run.out(`Filesystem     ${title}      Used Available Capacity  Mounted on\n`);
  run.out(`/dev/disk3s5   ${blocks.join(' ')}    ${used}%    /System/Volumes/Data\n`);
  return 0;
};

const bytesBelow = (run: Run, path: string): number => {
  const stat = statOf(run, path, false);
  if (stat?.type !== 'directory') return stat?.size ?? 0;
  return run.mac.files
    .list(run.user, resolve(run, path))
    .reduce((sum, name) => sum + bytesBelow(run, `${path}/${name}`), 0);
};

export const du: Program = run => {
  const options = parseOptions(run, {
    letters: 'skm',
    usage: 'du [-Aclnx] [-H | -L | -P] [-g | -h | -k | -m] [-a | -s | -d depth] [file ...]',
  });
  if (typeof options === 'number') return options;
  if (!options.has('s')) return refuseForm(run);
  const size = options.has('m') ? 2 ** 20 : options.has('k') ? 1024 : 512;
  for (const path of options.operands.length > 0 ? options.operands : ['.']) {
    if (!statOf(run, path)) {
      run.err(`du: ${path}: No such file or directory\n`);
      return 1;
    }
    run.out(`${Math.ceil(bytesBelow(run, path) / size)}\t${path}\n`);
  }
  return 0;
};

/** Id of the hardware. It survives a reinstallation, like the vendor's server. */
const platformUuid = (mac: Mac): string => uuidOf(`platform ${mac.options.serverId}`);

/** Id of the current boot; it changes at each boot. */
const bootSessionUuid = (mac: Mac): string =>
  uuidOf(`boot ${mac.options.serverId} ${mac.around.clock.now() - mac.uptime}`);

const serialNumber = (mac: Mac): string =>
  `C07${createHash('sha256').update(mac.options.serverId).digest('hex').slice(0, 7).toUpperCase()}Q6`;

/** /usr/sbin/ioreg: only `ioreg -rd1 -c IOPlatformExpertDevice`. */
export const ioreg: Program = run => {
  const options = parseOptions(run, {
    letters: 'arltd:c:n:w:',
    usage: 'ioreg [-abfilrtx] [-c class] [-d depth] [-n name]',
  });
  if (typeof options === 'number') return options;
  if (options.value('c') !== 'IOPlatformExpertDevice' || options.has('a')) return refuseForm(run);
  const properties: readonly (readonly [string, string])[] = [
    ['IOPlatformUUID', `"${platformUuid(run.mac)}"`],
    ['IOPlatformSerialNumber', `"${serialNumber(run.mac)}"`],
    ['manufacturer', '<"Apple Inc.">'],
    ['model', '<"Macmini9,1">'],
    ['compatible', '<"J274AP","Macmini9,1","AppleARM">'],
  ];
  run.out(
    '+-o J274AP  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active, busy 0 (13 ms), retain 41>\n',
  );
  run.out(`    {\n${properties.map(([name, value]) => `      "${name}" = ${value}\n`).join('')}    }\n    \n`);
  return 0;
};

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex').toUpperCase();
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

interface NetworkInterface {
  readonly name: string;
  readonly flags: string;
  readonly ether?: string;
  readonly address: string | undefined;
  readonly netmask: string;
}

/** /sbin/ifconfig: all interfaces, or one by name; it cannot change them here. */
export const ifconfig: Program = run => {
  const words = run.argv.slice(1).filter(word => word !== '-a');
  const [requested] = words;
  if (words.length > 1 || requested?.startsWith('-')) return refuseForm(run);
  const shown = interfacesOf(run.mac).filter(({ name }) => requested === undefined || name === requested);
  if (shown.length === 0) {
    run.err(`ifconfig: interface ${requested} does not exist\n`);
    return 1;
  }
  for (const one of shown) run.out(describe(one));
  return 0;
};

const UP = 'flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500';

const interfacesOf = (mac: Mac): NetworkInterface[] => [
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

const describe = ({ name, flags, ether, address, netmask }: NetworkInterface): string =>
  `${[
    `${name}: ${flags}`,
    ...(ether === undefined ? [] : [`ether ${ether}`]),
    ...(address === undefined ? [] : [`inet ${address} netmask ${netmask}`]),
    ...(ether === undefined ? [] : ['status: active']),
  ].join('\n\t')}\n`;

/** Apple's prefix; the rest is unique per Mac. */
const etherOf = (mac: Mac): string =>
  `4c:20:b8:${createHash('sha256').update(mac.options.serverId).digest('hex').slice(0, 6).match(/../g)?.join(':')}`;
