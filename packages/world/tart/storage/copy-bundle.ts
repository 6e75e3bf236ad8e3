import { constants, copyFileSync, cpSync, existsSync, lstatSync } from 'node:fs';
import { type Bundle, readFacts, writeFacts } from './bundle.ts';

/** What an APFS clone of a bundle is: same content, no new blocks. Lock, owner and socket stay behind. */
export function copyBundle(from: Bundle, to: Bundle, now: number): void {
  for (const part of ['config', 'nvram', 'disk', 'snapshot'] as const) {
    if (existsSync(from[part])) copyFileSync(from[part], to[part], constants.COPYFILE_FICLONE);
  }
  if (existsSync(from.guest))
    cpSync(from.guest, to.guest, { recursive: true, verbatimSymlinks: true, filter: copyable });
  writeFacts(to, readFacts(from), now);
}

/** A guest may have left sockets and pipes, which cannot be copied as files. */
function copyable(path: string): boolean {
  const stat = lstatSync(path);
  return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink();
}
