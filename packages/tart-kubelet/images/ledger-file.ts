import { readFile } from 'node:fs/promises';
import { writeDurably } from '../durable/write-durably.ts';
import type { LedgerFile } from './image-ledger.ts';

/** The ledger as one file in the state directory. */
export const ledgerFile = (path: string): LedgerFile => ({
  write: text => writeDurably(path, text),
  async read() {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  },
});
