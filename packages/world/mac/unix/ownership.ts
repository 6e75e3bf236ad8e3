import { errorMessage } from '../files/file-system.ts';
import { m1, type Program, type Run, root, type User } from '../mac.ts';
import { targetsOf } from './copy.ts';
import { parseOptions } from './getopt.ts';
import { forEachPath, readOperand, resolve, statOf } from './paths.ts';

const daemon: User = { name: 'daemon', uid: 1, gid: 1, group: 'daemon', home: '/var/root' };
const mdns: User = { name: '_mdnsresponder', uid: 65, gid: 65, group: '_mdnsresponder', home: '/var/empty' };
const nobody: User = { name: 'nobody', uid: 4_294_967_294, gid: 4_294_967_294, group: 'nobody', home: '/var/empty' };

/** The accounts of a delivered mini; none can be added here. */
const users: readonly User[] = [root, m1, daemon, mdns, nobody];

const groups: Readonly<Record<string, number>> = {
  wheel: 0,
  daemon: 1,
  staff: 20,
  admin: 80,
  everyone: 12,
  _mdnsresponder: 65,
  nobody: nobody.gid,
};

export const findUser = (nameOrUid: string | number): User | undefined =>
  users.find(user => user.name === nameOrUid || String(user.uid) === String(nameOrUid));

export const userName = (uid: number): string => findUser(uid)?.name ?? String(uid);

export const groupName = (gid: number): string =>
  Object.entries(groups).find(([, id]) => id === gid)?.[0] ?? String(gid);

const findGroup = (nameOrGid: string): number | undefined =>
  groups[nameOrGid] ?? (/^\d+$/.test(nameOrGid) ? Number(nameOrGid) : undefined);

export const isAdministrator = (user: User): boolean => user.uid === 0 || user.name === m1.name;

/** Parses a mode of chmod: octal, or `u+x,go-w` applied to the previous mode. Undefined if invalid. */
export function readMode(text: string | undefined, before: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-7]{1,5}$/.test(text)) return Number.parseInt(text, 8) & 0o7777;
  let mode = before;
  for (const clause of text.split(',')) {
    const found = /^([ugoa]*)([-+=])([rwxXst]*)$/.exec(clause);
    if (!found) return undefined;
    mode = applyClause(mode, found);
  }
  return mode;
}

const CLASSES: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
const BITS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, s: 0o6000, t: 0o1000 };

function applyClause(mode: number, [, who = '', operator, what = '']: readonly string[]): number {
  const classes = Array.from(who || 'a').reduce((sum, letter) => sum | (CLASSES[letter] ?? 0), 0);
  const bits =
    Array.from(what.replace('X', mode & 0o111 ? 'x' : '')).reduce((sum, letter) => sum | (BITS[letter] ?? 0), 0) &
    classes;
  if (operator === '+') return mode | bits;
  return operator === '-' ? mode & ~bits : (mode & ~classes) | bits;
}

/** The paths, and with -R everything below them. */
function withBelow(run: Run, paths: readonly string[], recursive: boolean): string[] {
  if (!recursive) return [...paths];
  return paths.flatMap(path => {
    if (statOf(run, path, false)?.type !== 'directory') return [path];
    const children = run.mac.files.list(run.user, resolve(run, path)).map(name => `${path}/${name}`);
    return [path, ...withBelow(run, children, true)];
  });
}

export const chmod: Program = run => {
  // A mode may begin with a minus that is not a flag.
  const words = run.argv.slice(1);
  const recursive = /^-[Rfvh]+$/.test(words[0] ?? '') && (words.shift() ?? '').includes('R');
  const [text, ...paths] = words;
  if (text === undefined || paths.length === 0) {
    run.err('usage: chmod [-fhv] [-R [-H | -L | -P]] mode file ...\n');
    return 1;
  }
  if (readMode(text, 0) === undefined) {
    run.err(`chmod: Invalid file mode: ${text}\n`);
    return 1;
  }
  return forEachPath(run, withBelow(run, paths, recursive), path => {
    const before = run.mac.files.stat(run.user, path).mode;
    run.mac.files.chmod(run.user, path, readMode(text, before) ?? before);
  });
};

interface OwnerChange {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

/** `user`, `user:group`, `:group`; an error message if one of them is unknown. */
function readOwner(text: string): OwnerChange | string {
  const [name = '', group = ''] = text.split(':');
  const user = name === '' ? undefined : findUser(name);
  if (name !== '' && !user) return `${name}: illegal user name`;
  const gid = group === '' ? undefined : findGroup(group);
  return group !== '' && gid === undefined ? `${group}: illegal group name` : { uid: user?.uid, gid };
}

export const chown: Program = run => {
  const options = parseOptions(run, {
    letters: 'Rfhvn',
    usage: 'chown [-fhnvx] [-R [-H | -L | -P]] owner[:group] file ...',
  });
  if (typeof options === 'number') return options;
  const [text = '', ...paths] = options.operands;
  const owner = readOwner(run.argv[0]?.endsWith('chgrp') ? `:${text}` : text);
  if (typeof owner === 'string') {
    run.err(`chown: ${owner}\n`);
    return 1;
  }
  return forEachPath(run, withBelow(run, paths, options.has('R')), path => {
    const before = run.mac.files.stat(run.user, path);
    run.mac.files.chown(run.user, path, owner.uid ?? before.uid, owner.gid ?? before.gid);
  });
};

/**
 * install(1): a copy with owner and mode, or directories. Derived: BSD install unlinks the target first, so it gets a
 * new inode.
 */
export const install: Program = async run => {
  const options = parseOptions(run, {
    letters: 'dm:o:g:cvpSbCsM',
    usage: 'install [-bCcpSsv] [-g group] [-m mode] [-o owner] file1 file2',
    usageCode: 64,
  });
  if (typeof options === 'number') return options;
  const owner = readOwner(`${options.value('o') ?? ''}:${options.value('g') ?? ''}`);
  const mode = readMode(options.value('m') ?? '755', 0);
  if (typeof owner === 'string' || mode === undefined) {
    run.err(`install: ${typeof owner === 'string' ? owner : `invalid file mode: ${options.value('m')}`}\n`);
    return 64;
  }
  const finish = (path: string): void => {
    const { uid, gid } = run.mac.files.stat(run.user, path);
    if (options.has('o') || options.has('g')) run.mac.files.chown(run.user, path, owner.uid ?? uid, owner.gid ?? gid);
    run.mac.files.chmod(run.user, path, mode);
  };
  if (options.has('d'))
    return forEachPath(run, options.operands, path => {
      run.mac.files.makeDirectory(run.user, path, { parents: true });
      finish(path);
    });
  return copyInto(run, targetsOf(run, options.operands) ?? [], finish);
};

async function copyInto(
  run: Run,
  targets: readonly { readonly from: string; readonly to: string }[],
  finish: (path: string) => void,
): Promise<number> {
  for (const { from, to } of targets) {
    const path = resolve(run, to);
    try {
      const content = await readOperand(run, from);
      if (statOf(run, to)) run.mac.files.remove(run.user, path);
      run.mac.files.write(run.user, path, content, { mode: 0o600 });
      finish(path);
    } catch (error) {
      run.err(`install: ${statOf(run, from) ? to : from}: ${errorMessage(error)}\n`);
      return 71;
    }
  }
  return targets.length > 0 ? 0 : 64;
}
