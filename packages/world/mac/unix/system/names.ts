import type { Mac, Program, User } from '../../mac.ts';

import { parseOptions, refuseForm } from '../getopt.ts';

import { findUser, groupName, isAdministrator } from '../ownership.ts';

const NAMES = ['HostName', 'LocalHostName', 'ComputerName'] as const;
type NameKind = (typeof NAMES)[number];

const KEY = Symbol('names');

/** The three names of a Mac. HostName is not set on a fresh one; the others are the vendor's. They survive a reboot. */
export const namesOf = (mac: Mac): Partial<Record<NameKind, string>> =>
  mac.state(KEY, () => ({ LocalHostName: mac.options.name, ComputerName: mac.options.name }));

export const hostname: Program = run => {
  const options = parseOptions(run, { letters: 'fs', usage: 'hostname [-f] [-s] [name-of-host]' });
  if (typeof options === 'number') return options;
  if (options.operands.length > 0) return refuseForm(run);
  const names = namesOf(run.mac);
  const name = names.HostName ?? `${names.LocalHostName}.local`;
  run.out(`${options.has('s') ? name.split('.')[0] : name}\n`);
  return 0;
};

export const scutil: Program = run => {
  const [, action, kind, name] = run.argv;
  const known = NAMES.find(candidate => candidate === kind);
  if (!known || (action !== '--get' && action !== '--set')) return refuseForm(run);
  const names = namesOf(run.mac);
  if (action === '--get') {
    const value = names[known];
    if (value === undefined) run.err(`${known}: not set\n`);
    else run.out(`${value}\n`);
    return value === undefined ? 1 : 0;
  }
  if (run.user.uid !== 0) {
    run.err('scutil: --set must be run as root\n');
    return 1;
  }
  if (known === 'LocalHostName' && !/^[A-Za-z0-9-]{1,63}$/.test(name ?? '')) {
    run.err('SCPreferencesSetLocalHostName() failed: Invalid argument\n');
    return 1;
  }
  // An empty name removes the setting.
  if (name) names[known] = name;
  else delete names[known];
  return 0;
};

/** Darwin 25 is macOS 26; the kernel's version follows the system's minor version (derived). */
export const kernelRelease = (mac: Mac): string => {
  const [major = '26', minor = '0'] = mac.options.macos.version.split('.');
  return `${Number(major) - 1}.${minor}.0`;
};

export const uname: Program = run => {
  const options = parseOptions(run, { letters: 'amnrsvpo', usage: 'uname [-amnoprsv]' });
  if (typeof options === 'number') return options;
  const release = kernelRelease(run.mac);
  const names = namesOf(run.mac);
  const values: Readonly<Record<string, string>> = {
    s: 'Darwin',
    n: names.HostName ?? `${names.LocalHostName}.local`,
    r: release,
    v: `Darwin Kernel Version ${release}: root:xnu-12377~1/RELEASE_${run.mac.options.intel ? 'X86_64' : 'ARM64_T8103'}`,
    m: run.mac.options.intel ? 'x86_64' : 'arm64',
    p: run.mac.options.intel ? 'i386' : 'arm',
  };
  const selected = options.has('a')
    ? ['s', 'n', 'r', 'v', 'm']
    : Object.keys(values).filter(letter => options.has(letter));
  run.out(`${(selected.length > 0 ? selected : ['s']).map(letter => values[letter]).join(' ')}\n`);
  return 0;
};

const groupsOf = (user: User): number[] => [
  user.gid,
  ...(user.gid === 12 ? [] : [12]),
  ...(isAdministrator(user) && user.gid !== 80 ? [80] : []),
];

export const id: Program = run => {
  const options = parseOptions(run, { letters: 'ungGrpF', usage: 'id [user]' });
  if (typeof options === 'number') return options;
  const [name] = options.operands;
  const user = name === undefined ? run.user : findUser(name);
  if (!user) {
    run.err(`id: ${name ?? ''}: no such user\n`);
    return 1;
  }
  const named = options.has('n');
  const groups = groupsOf(user);
  if (options.has('u')) run.out(`${named ? user.name : user.uid}\n`);
  else if (options.has('g')) run.out(`${named ? groupName(user.gid) : user.gid}\n`);
  else if (options.has('G')) run.out(`${groups.map(gid => (named ? groupName(gid) : gid)).join(' ')}\n`);
  else {
    const list = groups.map(gid => `${gid}(${groupName(gid)})`).join(',');
    run.out(`uid=${user.uid}(${user.name}) gid=${user.gid}(${groupName(user.gid)}) groups=${list}\n`);
  }
  return 0;
};

export const whoami: Program = run => {
  run.out(`${run.user.name}\n`);
  return 0;
};

export const groups: Program = run => {
  run.out(`${groupsOf(run.user).map(groupName).join(' ')}\n`);
  return 0;
};
