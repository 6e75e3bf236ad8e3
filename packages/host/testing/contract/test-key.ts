import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';

/** A fresh key pair: the private half in PEM format, the public one as a line of authorized_keys. */
export function testKey(): { readonly private: string; readonly public: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  const [key] = [ssh2.utils.parseKey(pem)].flat();
  assert.ok(key && !(key instanceof Error));
  return { private: pem, public: `${key.type} ${key.getPublicSSH().toString('base64')}` };
}
