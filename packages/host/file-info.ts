import type { FileInfo } from './host.ts';

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
