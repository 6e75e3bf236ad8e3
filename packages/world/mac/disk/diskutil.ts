import { type Mac, type MacPart, type Program, type Run, root } from '../mac.ts';

/** An APFS volume in the Mac's only container. */
interface ApfsVolume {
  readonly device: string;
  readonly name: string;
  readonly mount: string;
  /** Maximum size in bytes; 0 means unlimited. Not enforced on writes: its files share the Mac's space. */
  readonly quota: number;
  owners: boolean;
}

interface ApfsDisk {
  readonly volumes: ApfsVolume[];
}

const CONTAINER = 'disk3';
const KEY = Symbol('disk');

const diskOf = (mac: Mac): ApfsDisk =>
  mac.state(KEY, () => ({
    volumes: [
      { device: 'disk3s1s1', name: 'Macintosh HD', mount: '/', quota: 0, owners: true },
      { device: 'disk3s5', name: 'Data', mount: '/System/Volumes/Data', quota: 0, owners: true },
    ],
  }));

/** Finds a volume by mount point, device or name, like diskutil. */
const findVolume = (mac: Mac, text: string): ApfsVolume | undefined => {
  const deviceName = text.replace(/^\/dev\//, '');
  return diskOf(mac).volumes.find(
    ({ mount, device, name }) => mount === text || device === deviceName || name === text,
  );
};

/**
 * A new volume is mounted immediately below /Volumes and its root belongs to root. Without a change of owner, every job
 * runs with a cold cache (facts §3.8). Owners are ignored until enabled (derived).
 */
function addVolume(mac: Mac, name: string, quota: number): ApfsVolume {
  const { volumes } = diskOf(mac);
  const volume = {
    device: `${CONTAINER}s${volumes.length + 5}`,
    name,
    mount: `/Volumes/${name}`,
    quota,
    owners: false,
  };
  volumes.push(volume);
  mac.files.makeDirectory(root, volume.mount, { parents: true });
  mac.around.journal.add(`mac/${mac.options.name}`, 'volume', `${name} ${quota}`);
  return volume;
}

/** Fills the disk, like system logs and images do, until only this many bytes are free. */
export function fillDisk(mac: Mac, leaveFree: number): void {
  mac.files.reserve(mac.files.space.free - leaveFree);
}

/** Simulates /usr/sbin/diskutil: the volume commands of facts §3.8. */
const diskutil: Program = run => {
  const [, verb = '', ...words] = run.argv;
  if (verb === 'info') return info(run, words);
  if (verb === 'enableOwnership') return enableOwnership(run, words);
  if (verb === 'list') return list(run);
  const apfs = verb === 'apfs' ? APFS[words[0] ?? ''] : undefined;
  if (apfs) return apfs(run, words.slice(1));
  run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
  run.err(`diskutil: did not recognize verb "${verb}"; type "diskutil" for a list\n`);
  return 1;
};

const APFS: Readonly<Record<string, (run: Run, words: readonly string[]) => number>> = {
  list: run => list(run),
  addVolume: createVolume,
  deleteVolume,
};

function info(run: Run, words: readonly string[]): number {
  const asked = words.find(word => !word.startsWith('-')) ?? '';
  const volume = findVolume(run.mac, asked);
  if (!volume) {
    const text = `Could not find disk: ${asked}`;
    if (words.includes('-plist'))
      run.out(plist(`<key>Error</key><true/><key>ErrorMessage</key><string>${text}</string>`));
    else run.err(`${text}\n`);
    return 1;
  }
  const { free, total } = run.mac.files.space;
  run.out(words.includes('-plist') ? infoPlist(volume, { free, total }) : infoText(volume, { free, total }));
  return 0;
}

interface ApfsSpace {
  readonly free: number;
  readonly total: number;
}

const infoText = (volume: ApfsVolume, { free, total }: ApfsSpace): string =>
  [
    ['Device Identifier', volume.device],
    ['Device Node', `/dev/${volume.device}`],
    ['Volume Name', volume.name],
    ['Mounted', 'Yes'],
    ['Mount Point', volume.mount],
    ['File System Personality', 'APFS'],
    ['Owners', volume.owners ? 'Enabled' : 'Disabled'],
    // The sealed system volume has a different label, so parsing the output for `/` is misleading (facts §3.8).
    [volume.mount === '/' ? 'APFS Physical Store' : 'Part of Whole', CONTAINER],
    ['Container Total Space', sizeText(total)],
    ['Container Free Space', sizeText(free)],
  ]
    .map(([key, value]) => `   ${`${key}:`.padEnd(27)}${value}\n`)
    .join('');

const infoPlist = (volume: ApfsVolume, { free, total }: ApfsSpace): string =>
  plist(
    [
      text('APFSContainerReference', CONTAINER),
      number('APFSContainerFree', free),
      number('APFSContainerSize', total),
      text('DeviceIdentifier', volume.device),
      text('DeviceNode', `/dev/${volume.device}`),
      text('FilesystemType', 'apfs'),
      `<key>GlobalPermissionsEnabled</key><${volume.owners}/>`,
      text('MountPoint', volume.mount),
      number('Size', total),
      text('VolumeName', volume.name),
    ].join('\n\t'),
  );

const text = (key: string, value: string): string => `<key>${key}</key><string>${value}</string>`;
const number = (key: string, value: number): string => `<key>${key}</key><integer>${value}</integer>`;
const plist = (body: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" ' +
  `"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n<dict>\n\t${body}\n</dict>\n</plist>\n`;

const sizeText = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB (${bytes} Bytes)`;

/** `apfs addVolume <container> APFS <name> [-quota 80GiB]` */
function createVolume(run: Run, words: readonly string[]): number {
  const [container = '', format = '', name = '', ...options] = words;
  if (run.user.uid !== 0) return fail(run, 'A disk operation requires root privileges');
  if (container.replace('/dev/', '') !== CONTAINER) return fail(run, `Could not find disk for ${container}`);
  if (!/^APFS$/i.test(format) || name === '')
    return fail(run, 'Usage: diskutil apfs addVolume <container> <format> <name>');
  const quota = quotaIn(options);
  if (quota === undefined) return fail(run, 'The quota size is invalid');
  const volume = addVolume(run.mac, name, quota);
  run.out(
    `Will export new APFS Volume "${name}" from APFS Container Reference ${CONTAINER}\nStarted APFS operation on ${CONTAINER}\n` +
      `Preparing to add APFS Volume to APFS Container ${CONTAINER}\nCreating APFS Volume\nCreated new APFS Volume ${volume.device}\n` +
      `Mounting APFS Volume\nSetting volume permissions\nDisk from APFS operation: ${volume.device}\nFinished APFS operation on ${CONTAINER}\n`,
  );
  return 0;
}

const UNITS: Readonly<Record<string, number>> = {
  g: 1e9,
  gb: 1e9,
  gib: 2 ** 30,
  gi: 2 ** 30,
  m: 1e6,
  mb: 1e6,
  mib: 2 ** 20,
  b: 1,
};

function quotaIn(options: readonly string[]): number | undefined {
  const at = options.indexOf('-quota');
  if (at < 0) return 0;
  const match = /^(\d+)([a-z]+)$/i.exec(options[at + 1] ?? '');
  const unit = UNITS[(match?.[2] ?? '').toLowerCase()];
  return match && unit ? Number(match[1]) * unit : undefined;
}

function deleteVolume(run: Run, [asked = '']: readonly string[]): number {
  const { volumes } = diskOf(run.mac);
  const volume = findVolume(run.mac, asked);
  if (!volume?.mount.startsWith('/Volumes/')) return fail(run, `Could not find disk: ${asked}`);
  if (run.user.uid !== 0) return fail(run, 'A disk operation requires root privileges');
  volumes.splice(volumes.indexOf(volume), 1);
  run.mac.files.remove(root, volume.mount, { recursive: true });
  run.out(`Started APFS operation\nDeleting APFS Volume from its APFS Container\nFinished APFS operation\n`);
  return 0;
}

function enableOwnership(run: Run, [asked = '']: readonly string[]): number {
  const volume = findVolume(run.mac, asked);
  if (!volume) return fail(run, `Unable to find disk for ${asked}`);
  if (run.user.uid !== 0) return fail(run, 'A disk operation requires root privileges');
  volume.owners = true;
  run.out(`File system user/group ownership enabled\n`);
  return 0;
}

function list(run: Run): number {
  const { free, total } = run.mac.files.space;
  const head = `APFS Containers (1 found)\n|\n+-- Container ${CONTAINER}\n    ====================================================\n`;
  const sizes =
    `    APFS Container Reference:     ${CONTAINER}\n    Size (Capacity Ceiling):      ${total} B\n` +
    `    Capacity In Use By Volumes:   ${total - free} B\n    Capacity Not Allocated:       ${free} B\n`;
  const volumes = diskOf(run.mac).volumes.map(
    volume =>
      `    +-> Volume ${volume.device}\n    |   Name:                      ${volume.name}\n` +
      `    |   Mount Point:               ${volume.mount}\n` +
      (volume.quota > 0 ? `    |   Capacity Quota:            ${volume.quota} B\n` : ''),
  );
  run.out(`${head}${sizes}    |\n${volumes.join('    |\n')}`);
  return 0;
}

function fail(run: Run, message: string): number {
  run.err(`${message}\n`);
  return 1;
}

/** The diskutil command. */
export const diskPart: MacPart = () => ({ programs: { '/usr/sbin/diskutil': diskutil } });
