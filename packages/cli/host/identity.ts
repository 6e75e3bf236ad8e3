import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '@minifleet/host';
import { whyUnreadable } from '@minifleet/spec-file';
import { IDENTITY_MISSING } from './errors.ts';

/** Default keys of OpenSSH. */
const DEFAULT_KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa'];

/** Reads the private key from the given file, or from the first default key that exists. Errors name the file. */
export async function readIdentity(file: string | undefined, home: string): Promise<Secret> {
  const candidates = file === undefined ? DEFAULT_KEYS.map(name => join(home, '.ssh', name)) : [file];
  const reasons: string[] = [];
  for (const candidate of candidates) {
    try {
      return new Secret(candidate, await readFile(candidate));
    } catch (error) {
      reasons.push(`${candidate}: ${whyUnreadable(error)}`);
    }
  }
  throw IDENTITY_MISSING({ looked: reasons.join('; ') });
}
