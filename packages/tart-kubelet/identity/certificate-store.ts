import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectoryDurably, type OnDurableWrite, writeDurably } from '../durable/write-durably.ts';

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

interface StoreOptions {
  readonly directory: string;
  readonly name: 'client' | 'serving';
  readonly onDurableWrite?: OnDurableWrite | undefined;
}

const credentialFile = ({ directory, name }: StoreOptions): string => join(directory, `${name}.pem`);

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

/** A certificate with its key, both PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

/** ECDSA P-256: made in a millisecond, and the signers ask for no key encipherment with it. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export const certificateOf = ({ certificate }: Credential): X509Certificate => new X509Certificate(certificate);

/** Key and certificates in one text, as a kubelet keeps them: replacing the file swaps both at once. */
const credentialText = ({ certificate, key }: Credential): string => `${key.trimEnd()}\n${certificate.trimEnd()}\n`;

/** Reads such a text; undefined when it is damaged or the parts do not belong together. */
export function parseCredential(text: string): Credential | undefined {
  const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(text)?.[0];
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g);
  if (!key || !certificates) return undefined;
  const credential = { key, certificate: certificates.join('') };
  return fitsTogether(credential) ? credential : undefined;
}

export function fitsTogether(credential: Credential): boolean {
  try {
    return certificateOf(credential).checkPrivateKey(createPrivateKey(credential.key));
  } catch {
    return false;
  }
}
