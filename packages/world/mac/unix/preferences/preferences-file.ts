import { FileError } from '../../files/file-system.ts';
import type { Mac } from '../../mac.ts';
import type { User } from '../../user.ts';
import { isDictionary, type PlistValue, readPlist, writePlist } from './property-list.ts';

/** Where a domain is kept: a path as it stands, a name below the caller's own Library, root's below /var/root. */
export function preferencesPath(user: User, domain: string): string {
  if (domain.startsWith('/')) return domain.endsWith('.plist') ? domain : `${domain}.plist`;
  const name =
    domain === '-g' || domain === 'NSGlobalDomain' || domain === '-globalDomain' ? '.GlobalPreferences' : domain;
  return `${user.home}/Library/Preferences/${name}.plist`;
}

/** Empty when there is no such file; a file that cannot be read is as good as none, as with cfprefsd. */
export function readPreferences(mac: Mac, user: User, domain: string): Record<string, PlistValue> {
  try {
    const value = readPlist(mac.files.read(user, preferencesPath(user, domain)).toString());
    return isDictionary(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** False when the caller may not write there. */
export function writePreferences(
  mac: Mac,
  user: User,
  domain: string,
  values: Readonly<Record<string, PlistValue>>,
): boolean {
  const path = preferencesPath(user, domain);
  try {
    // cfprefsd replaces the file: a new inode, owner the caller.
    mac.files.write(user, `${path}.new`, writePlist(values), { mode: path.startsWith('/Library/') ? 0o644 : 0o600 });
    mac.files.rename(user, `${path}.new`, path);
    return true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}
