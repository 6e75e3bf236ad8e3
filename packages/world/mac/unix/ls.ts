import { errorMessage, type Stat } from '../files/file-system.ts';

import type { Program, Run } from '../mac.ts';
import { type ParsedOptions, parseOptions } from './getopt.ts';
import { groupName, userName } from './ownership.ts';
import { resolve, statOf } from './paths.ts';

const TYPES = { file: '-', directory: 'd', link: 'l' } as const;

/** Formats a mode like `drwxr-xr-x`. */
export function modeText({ type, mode }: Stat): string {
  const letters = Array.from('rwxrwxrwx').map((letter, index) => (mode & (0o400 >> index) ? letter : '-'));
  if (mode & 0o1000) letters[8] = letters[8] === 'x' ? 't' : 'T';
  if (mode & 0o4000) letters[2] = letters[2] === 'x' ? 's' : 'S';
  if (mode & 0o2000) letters[5] = letters[5] === 'x' ? 's' : 'S';
  return `${TYPES[type]}${letters.join('')}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function timeText(modified: number): string {
  const date = new Date(modified);
  const clock = date.toISOString().slice(11, 16);
  return `${MONTHS[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)} ${clock}`;
}

export const ls: Program = run => {
  const options = parseOptions(run, {
    letters: 'laA1diRthrSFGhn@eO',
    usage: 'ls [-@ABCFGHILOPRSTUWXabcdefghiklmnopqrstuvwxy1%,] [file ...]',
  });
  if (typeof options === 'number') return options;
  let failed = 0;
  const paths = options.operands.length > 0 ? options.operands : ['.'];
  for (const path of paths) {
    try {
      listOne(run, options, path, paths.length > 1);
    } catch (error) {
      run.err(`ls: ${path}: ${errorMessage(error)}\n`);
      failed = 1;
    }
  }
  return failed;
};

function listOne(run: Run, options: ParsedOptions, path: string, several: boolean): void {
  const stat = run.mac.files.stat(run.user, resolve(run, path), { followLinks: !options.has('l') });
  const target = stat.type === 'link' && !options.has('d') && path.endsWith('/') ? statOf(run, path) : stat;
  if (target?.type !== 'directory' || options.has('d')) {
    run.out(`${line(run, options, { path, name: path })}\n`);
    return;
  }
  if (several) run.out(`${path}:\n`);
  const names = run.mac.files
    .list(run.user, resolve(run, path))
    .filter(name => options.has('a') || options.has('A') || !name.startsWith('.'));
  if (options.has('r')) names.reverse();
  if (options.has('l')) run.out(`total ${names.length * 8}\n`);
  const all = options.has('a') ? ['.', '..', ...names] : names;
  for (const name of all) run.out(`${line(run, options, { path: `${path}/${name}`, name })}\n`);
}

function line(
  run: Run,
  options: ParsedOptions,
  { path, name }: { readonly path: string; readonly name: string },
): string {
  const stat = run.mac.files.stat(run.user, resolve(run, path), { followLinks: false });
  const inode = options.has('i') ? `${stat.inode} ` : '';
  if (!options.has('l')) return `${inode}${name}`;
  const arrow = stat.type === 'link' ? ` -> ${run.mac.files.readLink(run.user, resolve(run, path))}` : '';
  const owner = options.has('n') ? [stat.uid, stat.gid] : [userName(stat.uid), groupName(stat.gid)];
  return `${inode}${modeText(stat)}  1 ${owner.join('  ')}  ${stat.size} ${timeText(stat.modified)} ${name}${arrow}`;
}

const OCTAL_TYPES = { file: '100', directory: '40', link: '120' } as const;

/** stat(1) of BSD with -f; `%Lp` is the mode without the type, `%Su` the name. */
export const stat: Program = run => {
  const options = parseOptions(run, {
    letters: 'f:Lnqxs',
    usage: 'stat [-FLnq] [-f format | -l | -r | -s | -x] [-t timefmt] [file ...]',
  });
  if (typeof options === 'number') return options;
  let failed = 0;
  for (const path of options.operands) {
    try {
      const found = run.mac.files.stat(run.user, resolve(run, path), { followLinks: options.has('L') });
      const target = found.type === 'link' ? run.mac.files.readLink(run.user, resolve(run, path)) : '';
      const text = format(options.value('f') ?? '%i %Sp %Su %Sg %z %N', found, { path, target });
      run.out(text + (options.has('n') ? '' : '\n'));
    } catch (error) {
      run.err(`stat: ${path}: stat: ${errorMessage(error)}\n`);
      failed = 1;
    }
  }
  return failed;
};

interface ListedFile {
  readonly path: string;
  /** Target of a link; empty for anything else. */
  readonly target: string;
}

function format(text: string, stat: Stat, { path, target }: ListedFile): string {
  const octal = stat.mode.toString(8);
  const values: Readonly<Record<string, string>> = {
    u: String(stat.uid),
    Su: userName(stat.uid),
    g: String(stat.gid),
    Sg: groupName(stat.gid),
    p: `${OCTAL_TYPES[stat.type]}${octal.padStart(3, '0')}`,
    Lp: octal,
    OLp: octal,
    Mp: '0',
    A: octal,
    Sp: modeText(stat),
    i: String(stat.inode),
    z: String(stat.size),
    N: path,
    Y: target,
    SY: target === '' ? '' : ` -> ${target}`,
    m: String(Math.floor(stat.modified / 1_000)),
    HT: stat.type === 'file' ? 'Regular File' : stat.type === 'directory' ? 'Directory' : 'Symbolic Link',
    l: '1',
  };
  return text.replace(/%(OLp|HT|[SLM]?[a-zA-Z])/g, (whole, key: string) => values[key] ?? whole).replaceAll('%%', '%');
}
