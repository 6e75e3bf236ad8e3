import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '@minifleet/host';
import { whyUnreadable } from '@minifleet/spec-file';
import { IDENTITY_MISSING } from './errors.ts';

/** Where OpenSSH looks, too. */
const USUAL = ['id_ed25519', 'id_ecdsa', 'id_rsa'];

/** The private key to log in with: the named file, or the first of the usual ones. The file's name stands in errors. */
export async function readIdentity(file: string | undefined, home: string): Promise<Secret> {
  const candidates = file === undefined ? USUAL.map(name => join(home, '.ssh', name)) : [file];
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
