import type { FileInfo, HostView } from './host.ts';

/** Output of `stat` for a path; symbolic links are not followed. */
export interface PathFacts {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** `m1:staff`. */
  readonly owner: string;
  readonly mode: number;
  /** Last modification, in whole seconds of the host's clock. */
  readonly modified: number;
  /** Target of a symbolic link; empty for anything else. */
  readonly target: string;
}

const PATH_KINDS: Readonly<Record<string, PathFacts['kind']>> = {
  'Regular File': 'file',
  Directory: 'directory',
  'Symbolic Link': 'link',
};

/** Reads several paths with one command; missing paths are not in the result. */
export async function describePaths(host: HostView, paths: readonly string[]): Promise<ReadonlyMap<string, PathFacts>> {
  const { stdout } = await host.query(['/usr/bin/stat', '-f', '%HT|%Su:%Sg|%Lp|%m|%Y|%N', ...paths], { root: true });
  return new Map(stdout.split('\n').flatMap(line => entryOf(line) ?? []));
}

function entryOf(line: string): [[string, PathFacts]] | undefined {
  const [kind, owner, mode, modified, target, ...name] = line.split('|');
  if (kind === undefined || owner === undefined || target === undefined || name.length === 0) return undefined;
  const facts = {
    kind: PATH_KINDS[kind] ?? 'other',
    owner,
    mode: Number.parseInt(mode ?? '', 8),
    modified: Number(modified),
    target,
  };
  return [[name.join('|'), facts]];
}

const KINDS: Readonly<Record<string, FileInfo['kind']>> = { '-': 'file', d: 'directory', l: 'link' };

/** Parses a line of `ls -ldn`, whose format is the same on every Unix, unlike `stat`. */
export function fileInfoFrom(line: string): FileInfo | undefined {
  const found = /^(\S)(\S{9})\S*\s+\d+\s+(\d+)\s+(\d+)\s+(\d+)/.exec(line);
  if (!found) return undefined;
  const [, kind = '', mode = '', uid, gid, size] = found;
  return { kind: KINDS[kind] ?? 'other', mode: modeOf(mode), uid: Number(uid), gid: Number(gid), size: Number(size) };
}

const modeOf = (letters: string): number =>
  Array.from(letters).reduce((bits, letter, place) => (/[rwxst]/.test(letter) ? bits | (1 << (8 - place)) : bits), 0);
