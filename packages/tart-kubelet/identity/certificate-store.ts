import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectoryDurably, type OnDurableWrite, writeDurably } from '../durable/write-durably.ts';

/**
 * One credential on disk, and the key of the next one, written before the request, so that a restart continues with it.
 */
export interface CertificateStore {
  /** Undefined if there is none or it is damaged. */
  read(): Promise<NodeCredential | undefined>;
  /** Key of the request in progress, created if there is none. */
  nextKey(): Promise<string>;
  /** Replaces the credential atomically. */
  keep(credential: NodeCredential): Promise<void>;
  /** Discards a rejected key: the next request gets another key, and therefore another name. */
  discardNextKey(): Promise<void>;
}

interface CertificateStoreOptions {
  readonly directory: string;
  readonly name: 'client' | 'serving';
  readonly onDurableWrite?: OnDurableWrite | undefined;
}

const credentialFile = ({ directory, name }: CertificateStoreOptions): string => join(directory, `${name}.pem`);

export function createCertificateStore(options: CertificateStoreOptions): CertificateStore {
  const { directory, onDurableWrite } = options;
  const file = credentialFile(options);
  const keyFile = join(directory, `${options.name}-next.key`);
  const write = async (path: string, text: string): Promise<void> => {
    await makeDirectoryDurably(directory);
    await writeDurably(path, text, { mode: 0o600, onDurableWrite });
  };
  const read = async (): Promise<NodeCredential | undefined> => parseCredential((await readIfExists(file)) ?? '');
  const discardNextKey = (): Promise<void> => rm(keyFile, { force: true });
  return {
    read,
    async nextKey() {
      const kept = await readIfExists(keyFile);
      // The agent ended between the two writes of `keep`: this key already has its certificate.
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

async function readIfExists(path: string): Promise<string | undefined> {
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
export interface NodeCredential {
  readonly certificate: string;
  readonly key: string;
}

/** ECDSA P-256: generated in a millisecond, and the signers require no key encipherment for it. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export const certificateOf = ({ certificate }: NodeCredential): X509Certificate => new X509Certificate(certificate);

/** Key and certificates in one text, as kubelet stores them: replacing the file swaps both at once. */
const credentialText = ({ certificate, key }: NodeCredential): string => `${key.trimEnd()}\n${certificate.trimEnd()}\n`;

/** Parses such a text; undefined if it is damaged or key and certificate do not match. */
export function parseCredential(text: string): NodeCredential | undefined {
  const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(text)?.[0];
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g);
  if (!key || !certificates) return undefined;
  const credential = { key, certificate: certificates.join('') };
  return fitsTogether(credential) ? credential : undefined;
}

export function fitsTogether(credential: NodeCredential): boolean {
  try {
    return certificateOf(credential).checkPrivateKey(createPrivateKey(credential.key));
  } catch {
    return false;
  }
}
