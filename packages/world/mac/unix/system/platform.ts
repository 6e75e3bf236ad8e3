import { createHash } from 'node:crypto';
import type { Mac } from '../../mac.ts';
import type { Program } from '../../program.ts';
import { parseOptions, refuseForm } from '../options.ts';

/** Of the hardware: the same after a reinstallation, as the vendor's server stays the same. */
export const platformUuid = (mac: Mac): string => uuidOf(`platform ${mac.options.serverId}`);

/** Of this boot: another after each. */
export const bootSessionUuid = (mac: Mac): string =>
  uuidOf(`boot ${mac.options.serverId} ${mac.around.clock.now() - mac.uptime}`);

const serialNumber = (mac: Mac): string =>
  `C07${createHash('sha256').update(mac.options.serverId).digest('hex').slice(0, 7).toUpperCase()}Q6`;

/** /usr/sbin/ioreg: the one device people ask for, `ioreg -rd1 -c IOPlatformExpertDevice`. */
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
