import type { Mac } from '../mac.ts';
import { root, type User } from '../user.ts';

/** The vendor's sshd reads both; its own keys are in the second (seed S1). */
const FILES = ['.ssh/authorized_keys', '.ssh/scw_authorized_keys'];

/** The public keys that may log in as the user, as their raw blobs. */
export function authorizedKeys(mac: Mac, user: User): Buffer[] {
  return FILES.flatMap(name => {
    const path = `${user.home}/${name}`;
    if (!mac.files.exists(root, path)) return [];
    if (!isStrict(mac, user, path)) {
      mac.around.journal.add(
        `mac/${mac.options.name}`,
        'ssh',
        `Authentication refused: bad ownership or modes for file ${path}`,
      );
      return [];
    }
    return keysIn(mac.files.read(root, path).toString());
  });
}

/** Options before the key are read over. */
const keysIn = (text: string): Buffer[] =>
  text.split('\n').flatMap(line => {
    const blob = /(?:^|\s)(?:ssh-\S+|ecdsa-\S+|sk-\S+)\s+([A-Za-z0-9+/=]+)/.exec(line.trim())?.[1];
    return blob === undefined || line.trim().startsWith('#') ? [] : [Buffer.from(blob, 'base64')];
  });

/** StrictModes: home, folder and file belong to the user or root, and nobody else can write them. */
function isStrict(mac: Mac, user: User, path: string): boolean {
  return [user.home, `${user.home}/.ssh`, path].every(checked => {
    const { uid, mode } = mac.files.stat(root, checked);
    return (uid === user.uid || uid === 0) && (mode & 0o022) === 0;
  });
}
