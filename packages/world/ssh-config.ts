import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from './hosts.ts';

/** A file for `ssh -F` in which the Macs have their names: nobody wants to type ports and keys. */
export async function writeSshConfig(
  directory: string,
  keyFile: string,
  pool: readonly { readonly name: string; readonly host: Host }[],
): Promise<string> {
  const file = join(directory, 'ssh_config');
  const entries = pool.map(({ name, host }) => `Host ${name}\n  HostName ${host.ssh.host}\n  Port ${host.ssh.port}\n`);
  // A reinstalled Mac has another host key at the same port: remembering the old one would only get in the way here.
  const everyone = `Host *\n  User m1\n  IdentityFile ${keyFile}\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n`;
  await writeFile(file, [...entries, everyone].join('\n'));
  return file;
}
