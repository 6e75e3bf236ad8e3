import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Secret } from '@minifleet/secret';
import { FORGE_CREDENTIALS_INCOMPLETE, FORGE_CREDENTIALS_WRONG } from '../errors.ts';
import type { ForgeReference } from '../forge.ts';

/** A GitHub App as it is installed on one organisation. */
export interface GithubCredentials {
  /** Its number, or its client id. */
  readonly appId: string;
  readonly installationId: number;
  /** PKCS#8 PEM. */
  readonly privateKey: Secret;
}

const FIELDS = ['app-id', 'installation-id', 'private-key'] as const;

/** What people put into a Secret, checked before anything is sent; every mistake is named at once, none with its value. */
export function readCredentials({ place, fields }: Pick<ForgeReference, 'place' | 'fields'>): GithubCredentials {
  const [appId = '', installationId = '', pem = ''] = FIELDS.map(name => textOf(fields[name]));
  const missing = FIELDS.filter(name => textOf(fields[name]) === '');
  if (missing.length > 0) throw FORGE_CREDENTIALS_INCOMPLETE({ place, missing: missing.join(', ') });
  const key = readKey(pem);
  const problems = [
    /^(\d+|Iv[\w.]+)$/.test(appId) ? [] : ['app-id is neither the number of an App nor its client id'],
    /^[1-9]\d{0,15}$/.test(installationId)
      ? []
      : ['installation-id is not the number at the end of the address of the App’s installation'],
    key ? [] : ['private-key is not an RSA key as GitHub gives it out (PEM, -----BEGIN RSA PRIVATE KEY-----)'],
  ].flat();
  if (!key || problems.length > 0) throw FORGE_CREDENTIALS_WRONG({ place, problems: problems.join('; ') });
  const pkcs8 = key.export({ type: 'pkcs8', format: 'pem' });
  return {
    appId,
    installationId: Number(installationId),
    privateKey: new Secret(`the private key of App ${appId}`, pkcs8),
  };
}

const textOf = (bytes: Uint8Array | undefined): string =>
  Buffer.from(bytes ?? [])
    .toString('utf8')
    .trim();

/** Indented, with CRLF or with `\n` in letters, as it comes out of YAML and environments; PKCS#1 and PKCS#8 alike. */
function readKey(text: string): KeyObject | undefined {
  const lines = text.replaceAll('\\n', '\n').split(/\r?\n/);
  try {
    const key = createPrivateKey(lines.map(line => line.trim()).join('\n'));
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}
