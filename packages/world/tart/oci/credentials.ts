import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../call.ts';
import { readFromKeychain } from './keychain.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The environment first, then Docker's file, then the keychain (facts 10.9). */
export const findCredentials = (call: Call, host: string): Credentials | undefined =>
  fromEnvironment(call, host) ?? fromDockerFile(call, host) ?? readFromKeychain(call, host);

function fromEnvironment({ environment }: Call, host: string): Credentials | undefined {
  const { TART_REGISTRY_USERNAME: username, TART_REGISTRY_PASSWORD: password } = environment;
  const only = environment['TART_REGISTRY_HOSTNAME'];
  if (username === undefined || password === undefined) return undefined;
  return only === undefined || only === host ? { username, password } : undefined;
}

function fromDockerFile(call: Call, host: string): Credentials | undefined {
  try {
    const path = join(call.environment['HOME'] ?? '/', '.docker', 'config.json');
    const file = JSON.parse(readFileSync(path, 'utf8')) as DockerFile;
    if (file.credHelpers && Object.keys(file.credHelpers).some(pattern => new RegExp(pattern).test(host))) {
      call.around.journal.unmodelled('tart', `credential helper for ${host}`);
    }
    const [username, password] = Buffer.from(file.auths?.[host]?.auth ?? '', 'base64')
      .toString()
      .split(/:(.*)/s);
    return username && password ? { username, password } : undefined;
  } catch {
    return undefined;
  }
}

interface DockerFile {
  readonly auths?: Readonly<Record<string, { readonly auth?: string }>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
}
