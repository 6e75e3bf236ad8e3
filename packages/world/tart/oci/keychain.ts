import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../call.ts';
import { Failure } from '../failure.ts';
import type { Credentials } from './credentials.ts';

/** The login keychain's items for Tart, as files. */
export const keychainItem = (call: Call, host: string): string =>
  join(call.worldDirectory, 'keychain', host.replace(':', '%3A'));

/** errSecInteractionNotAllowed: no screen to ask at, or a locked keychain. S3 quotes the words, openai/tart issue 184 the number. */
const notAllowed = (): Failure => new Failure('Keychain failed to add item: User interaction is not allowed. (-25308)');

const usable = (call: Call): boolean => call.host().gui !== false && !call.host().keychainLocked;

export function storeInKeychain(call: Call, host: string, credentials: Credentials): void {
  if (!usable(call)) throw notAllowed();
  const path = keychainItem(call, host);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify(credentials));
}

/** An item that is there but may not be read is an error; where there is none, nothing is asked. */
export function readFromKeychain(call: Call, host: string): Credentials | undefined {
  const path = keychainItem(call, host);
  if (!existsSync(path)) return undefined;
  if (!usable(call)) throw new Failure('Keychain returned unsuccessful status -25308');
  return JSON.parse(readFileSync(path, 'utf8')) as Credentials;
}
