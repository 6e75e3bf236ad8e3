import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TartCall, TartFailure } from '../tart-call.ts';

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

/** The environment first, then Docker's file, then the keychain (facts 10.9). */
export const findCredentials = (call: TartCall, host: string): RegistryCredentials | undefined =>
  fromEnvironment(call, host) ?? fromDockerFile(call, host) ?? readFromKeychain(call, host);

function fromEnvironment({ environment }: TartCall, host: string): RegistryCredentials | undefined {
  const { TART_REGISTRY_USERNAME: username, TART_REGISTRY_PASSWORD: password } = environment;
  const only = environment['TART_REGISTRY_HOSTNAME'];
  if (username === undefined || password === undefined) return undefined;
  return only === undefined || only === host ? { username, password } : undefined;
}

function fromDockerFile(call: TartCall, host: string): RegistryCredentials | undefined {
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

/** Tart's items in the login keychain, as files. */
export const keychainItem = (call: TartCall, host: string): string =>
  join(call.worldDirectory, 'keychain', host.replace(':', '%3A'));

/**
 * errSecInteractionNotAllowed: no screen for a prompt, or a locked keychain. S3 quotes the message, openai/tart issue
 * 184 the number.
 */
const notAllowed = (): TartFailure =>
  new TartFailure('Keychain failed to add item: User interaction is not allowed. (-25308)');

const usable = (call: TartCall): boolean => call.host().gui !== false && !call.host().keychainLocked;

export function storeInKeychain(call: TartCall, host: string, credentials: RegistryCredentials): void {
  if (!usable(call)) throw notAllowed();
  const path = keychainItem(call, host);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify(credentials));
}

/** An item that exists but may not be read is an error. If there is none, the keychain is not accessed. */
function readFromKeychain(call: TartCall, host: string): RegistryCredentials | undefined {
  const path = keychainItem(call, host);
  if (!existsSync(path)) return undefined;
  if (!usable(call)) throw new TartFailure('Keychain returned unsuccessful status -25308');
  return JSON.parse(readFileSync(path, 'utf8')) as RegistryCredentials;
}
