import { closeSync, openSync, readSync } from 'node:fs';
import type { Chance } from '../../chance.ts';

/** `config.json` (facts 10.3). */
export interface VmConfig {
  readonly version: 1;
  readonly os: 'darwin' | 'linux';
  readonly arch: 'arm64' | 'amd64';
  readonly ecid?: string;
  readonly hardwareModel?: string;
  readonly cpuCountMin: number;
  readonly cpuCount: number;
  readonly memorySizeMin: number;
  readonly memorySize: number;
  readonly macAddress: string;
  readonly display: { readonly width: number; readonly height: number; readonly unit?: 'pt' | 'px' };
  readonly displayRefit?: boolean;
  readonly diskFormat: 'raw' | 'asif';
}

export function newConfig(os: VmConfig['os'], chance: Chance): VmConfig {
  const common = {
    version: 1,
    os,
    arch: 'arm64',
    cpuCountMin: os === 'darwin' ? 2 : 1,
    cpuCount: 4,
    memorySizeMin: (os === 'darwin' ? 4 : 1) * 1024 ** 3,
    memorySize: 4 * 1024 ** 3,
    macAddress: randomMac(chance),
    display: { width: 1024, height: 768 },
    diskFormat: 'raw',
  } as const;
  return os === 'linux' ? common : { ...common, ecid: randomEcid(chance), hardwareModel: HARDWARE_MODEL };
}

/** Locally administered unicast, like VZMACAddress. */
export const randomMac = (chance: Chance): string =>
  [2 + 4 * chance.integer(64), ...Array.from({ length: 5 }, () => chance.integer(256))]
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join(':');

export const randomEcid = (chance: Chance): string =>
  Buffer.from(`<plist><dict><key>ECID</key><integer>${chance.integer(2 ** 48)}</integer></dict></plist>`).toString(
    'base64',
  );

const HARDWARE_MODEL = Buffer.from(
  '<plist><dict><key>PlatformVersion</key><integer>2</integer></dict></plist>',
).toString('base64');

const MARK = 'minifleet-world software ';

/** First line of a disk that contains more than macOS. Push, pull and clone preserve it, like files on a disk. */
export const softwareLine = (names: readonly string[]): string =>
  names.length === 0 ? '' : `${MARK}${names.join(' ')}\n`;

/** Software on a disk besides macOS: `actions-runner/2.330.0`. */
export function softwareOn(disk: string): readonly string[] {
  const start = Buffer.alloc(512);
  const descriptor = openSync(disk, 'r');
  const length = readSync(descriptor, start, 0, start.length, 0);
  closeSync(descriptor);
  const [line = ''] = start.toString('latin1', 0, length).split('\n');
  return line.startsWith(MARK) ? line.slice(MARK.length).split(' ') : [];
}
