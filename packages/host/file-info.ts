import type { FileInfo, HostView } from './host.ts';

/** What `stat` says of a path itself; a link is not followed. */
export interface PathFacts {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** `m1:staff`. */
  readonly owner: string;
  readonly mode: number;
  /** When it was last changed, in whole seconds of the host's own clock. */
  readonly modified: number;
  /** Where a link leads; empty for anything else. */
  readonly target: string;
}

const PATH_KINDS: Readonly<Record<string, PathFacts['kind']>> = {
  'Regular File': 'file',
  Directory: 'directory',
  'Symbolic Link': 'link',
};

/** Looks at several paths with one command; those that are not there are not in the answer. */
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

/** Reads a line of `ls -ldn`, which is the same on every Unix; `stat` is not. */
export function fileInfoFrom(line: string): FileInfo | undefined {
  const found = /^(\S)(\S{9})\S*\s+\d+\s+(\d+)\s+(\d+)\s+(\d+)/.exec(line);
  if (!found) return undefined;
  const [, kind = '', mode = '', uid, gid, size] = found;
  return { kind: KINDS[kind] ?? 'other', mode: modeOf(mode), uid: Number(uid), gid: Number(gid), size: Number(size) };
}

const modeOf = (letters: string): number =>
  Array.from(letters).reduce((bits, letter, place) => (/[rwxst]/.test(letter) ? bits | (1 << (8 - place)) : bits), 0);
