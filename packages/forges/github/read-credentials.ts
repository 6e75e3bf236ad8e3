import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Secret } from '@minifleet/secret';
import { FORGE_CREDENTIALS_INCOMPLETE, FORGE_CREDENTIALS_WRONG } from '../errors.ts';
import type { ForgeReference } from '../forge.ts';

/** Installation of a GitHub App on one organisation. */
export interface GithubCredentials {
  /** App ID or client ID. */
  readonly appId: string;
  readonly installationId: number;
  /** PKCS#8 PEM. */
  readonly privateKey: Secret;
}

const FIELDS = ['app-id', 'installation-id', 'private-key'] as const;

/** Validates the fields of a Secret before any request. Reports all problems at once, and no value. */
export function readCredentials({ place, fields }: Pick<ForgeReference, 'place' | 'fields'>): GithubCredentials {
  const [appId = '', installationId = '', pem = ''] = FIELDS.map(name => textOf(fields[name]));
  const missing = FIELDS.filter(name => textOf(fields[name]) === '');
  if (missing.length > 0) throw FORGE_CREDENTIALS_INCOMPLETE({ place, missing: missing.join(', ') });
  const key = readKey(pem);
  const problems = [
    /^(\d+|Iv[\w.]+)$/.test(appId) ? [] : ['app-id is neither an App ID nor a client ID'],
    /^[1-9]\d{0,15}$/.test(installationId)
      ? []
      : ['installation-id is not the number at the end of the installation URL'],
    key ? [] : ['private-key is not an RSA key in PEM (-----BEGIN RSA PRIVATE KEY-----), as GitHub issues it'],
  ].flat();
  if (!key || problems.length > 0) throw FORGE_CREDENTIALS_WRONG({ place, problems: problems.join('; ') });
  const pkcs8 = key.export({ type: 'pkcs8', format: 'pem' });
  return {
    appId,
    installationId: Number(installationId),
    privateKey: new Secret(`private key of App ${appId}`, pkcs8),
  };
}

const textOf = (bytes: Uint8Array | undefined): string =>
  Buffer.from(bytes ?? [])
    .toString('utf8')
    .trim();

/** Accepts PKCS#1 and PKCS#8, indented, with CRLF or with a literal `\n`, as YAML and environment variables produce it. */
function readKey(text: string): KeyObject | undefined {
  const lines = text.replaceAll('\\n', '\n').split(/\r?\n/);
  try {
    const key = createPrivateKey(lines.map(line => line.trim()).join('\n'));
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}
