import type { Mac } from '../mac.ts';
import { readPreferences } from '../unix/preferences/preferences-file.ts';
import { currentPassword } from '../unix/sudo/password.ts';
import { m1, root, type User } from '../user.ts';
import { decodePassword, encodePassword, SEALED } from './kcpassword.ts';

const PASSWORD_FILE = '/etc/kcpassword';
const PREFERENCES = '/Library/Preferences/com.apple.loginwindow';

/**
 * Who is logged in by what is on the disk. A wrong password is not asked about: the file is overwritten with the encoded
 * `<sealed>`, nobody is logged in, and nothing else says so (I06, I07; S0).
 */
export function autoLogin(mac: Mac): User | undefined {
  const place = `mac/${mac.options.name}`;
  const name = autoLoginUser(mac);
  if (name === undefined || !mac.files.exists(root, PASSWORD_FILE)) return undefined;
  const password = decodePassword(mac.files.read(root, PASSWORD_FILE));
  if (name === m1.name && password === currentPassword(mac)) return m1;
  mac.files.write(root, PASSWORD_FILE, encodePassword(SEALED));
  mac.around.journal.add(place, 'auto-login refused', name);
  return undefined;
}

function autoLoginUser(mac: Mac): string | undefined {
  const name = readPreferences(mac, root, PREFERENCES)['autoLoginUser'];
  return typeof name === 'string' ? name : undefined;
}
