import type { Mac } from '../../mac.ts';
import type { Program, Run } from '../../program.ts';
import { parseOptions, refuseForm } from '../options.ts';
import { resolve, statOf } from '../paths.ts';
import { memoryOf, memorySize } from './memory.ts';
import { kernelRelease, namesOf } from './names.ts';
import { bootSessionUuid } from './platform.ts';

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

/** df: one data volume; blocks of 512 bytes unless -k, -m or -g. */
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
