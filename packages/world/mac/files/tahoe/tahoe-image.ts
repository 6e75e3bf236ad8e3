import { m1, root, type User } from '../../mac.ts';
import type { FileSystem } from '../file-system.ts';
import * as stock from './stock-files.ts';

/** One entry of an image: a directory, a file or a link. Contents are buffers shared by all Macs of the image. */
type ImageEntry = {
  readonly path: string;
  readonly owner?: User;
  readonly gid?: number;
  readonly mode?: number;
} & ({ readonly content: Buffer } | { readonly link: string } | { readonly directory: true });

interface Ownership {
  readonly owner?: User;
  readonly gid?: number;
  readonly mode?: number;
}

const directory = (path: string, options: Ownership = {}): ImageEntry => ({ path, directory: true, ...options });
const file = (path: string, text: string | Buffer, options: Ownership = {}): ImageEntry => ({
  path,
  content: Buffer.from(text),
  ...options,
});
const link = (path: string, target: string): ImageEntry => ({ path, link: target });

/** Writes the entries of an image in order. */
export function layOut(files: FileSystem, entries: readonly ImageEntry[]): void {
  for (const entry of entries) {
    if ('link' in entry) files.link(root, entry.link, entry.path);
    else {
      if ('directory' in entry) files.makeDirectory(root, entry.path, { parents: true });
      else files.write(root, entry.path, entry.content);
      files.chmod(root, entry.path, entry.mode ?? ('directory' in entry ? 0o755 : 0o644));
      files.chown(root, entry.path, entry.owner?.uid ?? 0, entry.gid ?? entry.owner?.gid ?? 0);
    }
  }
}

const ADMIN = 80;
const PRIVATE = { mode: 0o700 };

/** Disk content of a delivered vendor mini. There is no /usr/local/bin (I35) and no /etc/zshenv. */
const system: readonly ImageEntry[] = [
  ...['/System/Library/LaunchDaemons', '/System/Library/LaunchAgents', '/System/Library/CoreServices'].map(path =>
    directory(path),
  ),
  ...['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/lib', '/usr/libexec', '/usr/share', '/usr/local', '/opt'].map(
    path => directory(path),
  ),
  directory('/Volumes'),
  directory('/cores'),
  directory('/dev'),
  file('/dev/null', '', { mode: 0o666 }),
  directory('/System/Volumes/Data'),
  ...['/private/etc', '/private/var'].map(path => directory(path)),
  directory('/private/tmp', { mode: 0o1777 }),
  link('/etc', 'private/etc'),
  link('/var', 'private/var'),
  link('/tmp', 'private/tmp'),
  file('/System/Library/LaunchDaemons/ssh.plist', stock.SSH_PLIST),
  file('/System/Library/LaunchDaemons/com.apple.loginwindow.plist', stock.LOGINWINDOW_PLIST),
  file('/System/Library/LaunchDaemons/com.apple.mDNSResponder.plist', stock.MDNSRESPONDER_PLIST),
];

const configuration: readonly ImageEntry[] = [
  directory('/etc/pf.anchors'),
  file('/etc/pf.conf', stock.PF_CONF),
  file('/etc/pf.anchors/com.apple', stock.PF_ANCHOR_COM_APPLE),
  file('/etc/sudoers', stock.SUDOERS, { mode: 0o440 }),
  directory('/etc/sudoers.d'),
  directory('/etc/ssh/sshd_config.d'),
  file('/etc/ssh/sshd_config', stock.SSHD_CONFIG),
  file('/etc/hosts', stock.HOSTS),
  file('/etc/shells', stock.SHELLS),
  file('/etc/zprofile', stock.ZPROFILE, { mode: 0o444 }),
  file('/etc/paths', stock.PATHS),
  directory('/etc/paths.d'),
];

const data: readonly ImageEntry[] = [
  directory('/Applications', { gid: ADMIN, mode: 0o775 }),
  directory('/Library'),
  directory('/Library/LaunchDaemons'),
  directory('/Library/LaunchAgents'),
  directory('/Library/Preferences'),
  directory('/Library/Preferences/SystemConfiguration'),
  directory('/Library/Logs'),
  directory('/Library/Keychains'),
  directory('/Library/Application Support', { gid: ADMIN }),
  directory('/var/log'),
  file('/var/log/system.log', '', { gid: ADMIN, mode: 0o640 }),
  file('/var/log/install.log', ''),
  directory('/var/db'),
  directory('/var/run', { gid: 1, mode: 0o775 }),
  directory('/var/tmp', { mode: 0o1777 }),
  directory('/var/folders'),
  directory('/var/empty'),
  directory('/var/root', { mode: 0o750 }),
  directory('/var/root/Library/Preferences', PRIVATE),
];

const people: readonly ImageEntry[] = [
  directory('/Users', { gid: ADMIN }),
  directory('/Users/Shared', { mode: 0o1777 }),
  directory('/Users/m1', { owner: m1, mode: 0o750 }),
  directory('/Users/m1/Library', { owner: m1, mode: 0o700 }),
  ...['Preferences', 'LaunchAgents', 'Keychains', 'Logs', 'Caches', 'Application Support'].map(name =>
    directory(`/Users/m1/Library/${name}`, { owner: m1, mode: 0o700 }),
  ),
  directory('/Users/m1/Desktop', { owner: m1, mode: 0o700 }),
  directory('/Users/m1/.ssh', { owner: m1, mode: 0o700 }),
  file('/Users/m1/.ssh/authorized_keys', '', { owner: m1, mode: 0o600 }),
  file('/Users/m1/.ssh/scw_authorized_keys', '', { owner: m1, mode: 0o600 }),
];

const base: readonly ImageEntry[] = [...system, ...configuration, ...data, ...people];

export function tahoeImage(macos: { readonly version: string; readonly build: string }): readonly ImageEntry[] {
  const version = stock.systemVersion(macos.version, macos.build);
  return [...base, file('/System/Library/CoreServices/SystemVersion.plist', version)];
}
