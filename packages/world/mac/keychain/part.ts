import type { MacPart } from '../mac-part.ts';
import { keychainOf } from './keychain.ts';
import { security } from './security.ts';

/** The login keychain: locked again after each boot. */
export const keychainPart: MacPart = mac => {
  mac.onBoot(() => {
    keychainOf(mac).unlocked = false;
  });
  return { programs: { '/usr/bin/security': security } };
};
