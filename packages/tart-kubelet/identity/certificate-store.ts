import { createPrivateKey } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectoryDurably, type OnDurableWrite, writeDurably } from '../durable/write-durably.ts';
import { type Credential, credentialText, newPrivateKey, parseCredential } from './credential.ts';

/** One credential on disk, and the key of the next one: written before it is asked for, so that a restart goes on with it. */
export interface CertificateStore {
  /** Undefined when there is none, or what is there is damaged. */
  read(): Promise<Credential | undefined>;
  /** The key of the request under way, made when there is none. */
  nextKey(): Promise<string>;
  /** Replaces the credential in one move; the old one is there until the new one is. */
  keep(credential: Credential): Promise<void>;
  /** The key was refused: the next request gets another one, and so another name. */
  discardNextKey(): Promise<void>;
}

export interface StoreOptions {
  readonly directory: string;
  readonly name: 'client' | 'serving';
  readonly onDurableWrite?: OnDurableWrite | undefined;
}

export const credentialFile = ({ directory, name }: StoreOptions): string => join(directory, `${name}.pem`);

export function createCertificateStore(options: StoreOptions): CertificateStore {
  const { directory, onDurableWrite } = options;
  const file = credentialFile(options);
  const keyFile = join(directory, `${options.name}-next.key`);
  const write = async (path: string, text: string): Promise<void> => {
    await makeDirectoryDurably(directory);
    await writeDurably(path, text, { mode: 0o600, onDurableWrite });
  };
  const read = async (): Promise<Credential | undefined> => parseCredential((await readIfThere(file)) ?? '');
  const discardNextKey = (): Promise<void> => rm(keyFile, { force: true });
  return {
    read,
    async nextKey() {
      const kept = await readIfThere(keyFile);
      // Ended between the two writes of `keep`: that key has its certificate, and would only be given it again.
      if (kept && isPrivateKey(kept) && (await read())?.key !== kept) return kept;
      const key = newPrivateKey();
      await write(keyFile, key);
      return key;
    },
    async keep(credential) {
      await write(file, credentialText(credential));
      await discardNextKey();
    },
    discardNextKey,
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isPrivateKey(text: string): boolean {
  try {
    createPrivateKey(text);
    return true;
  } catch {
    return false;
  }
}
