import type { Mac } from '../mac.ts';
import type { Executable } from '../mac-part.ts';
import type { ExitReason } from '../processes/process-table.ts';
import { cdhashOf, isBinary, signatureOf } from './mach-o.ts';

interface KernelCache {
  /** By inode: the hash the kernel saw when it last ran the file. */
  readonly seen: Map<number, string>;
  /** How likely a stale entry kills: 2 of 3 hosts in S2, always unless a test says otherwise. */
  staleKills: number;
}

const KEY = Symbol('code signing');

export const codeSigningOf = (mac: Mac): KernelCache => mac.state(KEY, () => ({ seen: new Map(), staleKills: 1 }));

const KILLED: ExitReason = { reason: 'OS_REASON_CODESIGNING' };

/**
 * How the kernel ends a program at once, if it does. A file overwritten in place keeps its inode, and new pages are
 * checked against the hash cached for the old ones, however valid the new signature is (I19; S2). A new inode is news.
 */
export function refuse(mac: Mac, file: Executable): ExitReason | undefined {
  if (!isBinary(file.content)) return undefined;
  if (signatureOf(file.content) === 'none') return refused(mac, file, 'not signed');
  const cache = codeSigningOf(mac);
  const hash = cdhashOf(file.content);
  const before = cache.seen.get(file.inode);
  if (before !== undefined && before !== hash && mac.around.chance.next() < cache.staleKills)
    return refused(mac, file, 'overwritten in place');
  cache.seen.set(file.inode, hash);
  return undefined;
}

function refused(mac: Mac, file: Executable, why: string): ExitReason {
  mac.around.journal.add(`mac/${mac.options.name}`, 'code signature', `${file.path} ${why}`);
  return KILLED;
}
