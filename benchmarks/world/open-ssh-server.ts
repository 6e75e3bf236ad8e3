/** OpenSSH's own server on loopback, as the baseline: the one of this machine, or Debian's package unpacked into a folder. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@minifleet/clock/testing';
import { canConnect } from './can-connect.ts';

const run = promisify(execFile);
const PLACES = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'];

// Started by root it insists on a user of its own: one that exists only in its own view of the file system.
const WITH_ITS_USER = `set -e
{ cat /etc/passwd; echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin'; } > "$1/passwd"
mount --bind "$1/passwd" /etc/passwd
shift
exec "$@"`;

export interface OpenSshServer {
  readonly port: number;
  readonly user: string;
  readonly version: string;
  close(): Promise<void>;
}

/** Undefined, with the reason, where there is no such server to be had. */
export async function startOpenSshServer(publicKey: string): Promise<OpenSshServer | { readonly missing: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'minifleet-sshd-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const sshd = PLACES.find(existsSync) ?? (await unpack(directory));
    return await serve(sshd, directory, publicKey);
  } catch (error) {
    await remove();
    return { missing: `no OpenSSH server: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}` };
  }
}

async function unpack(directory: string): Promise<string> {
  await run('apt-get', ['update', '-qq']);
  await run('apt-get', ['download', 'openssh-server', 'libwrap0'], { cwd: directory });
  for (const archive of (await readdir(directory)).filter(name => name.endsWith('.deb'))) {
    await run('dpkg', ['-x', join(directory, archive), join(directory, 'root')]);
  }
  return join(directory, 'root/usr/sbin/sshd');
}

async function serve(sshd: string, directory: string, publicKey: string): Promise<OpenSshServer> {
  const port = await freePort();
  const keyFile = join(directory, 'host_key');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile]);
  await writeFile(join(directory, 'authorized_keys'), `${publicKey}\n`, { mode: 0o600 });
  await mkdir('/run/sshd', { recursive: true }); // its privilege separation wants the folder, whatever the configuration
  const options = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: keyFile,
    AuthorizedKeysFile: join(directory, 'authorized_keys'),
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    MaxStartups: 200,
  };
  const argv = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const child = spawn(
    'unshare',
    ['-m', 'sh', '-c', WITH_ITS_USER, 'sh', directory, sshd, '-D', '-f', '/dev/null', ...argv],
    {
      stdio: 'ignore',
      env: { LD_LIBRARY_PATH: join(directory, 'root/usr/lib/x86_64-linux-gnu'), PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    },
  );
  await eventually(() => canConnect(port), { what: 'sshd' });
  const { stderr } = await run('ssh', ['-V']);
  return {
    port,
    user: userInfo().username,
    version: stderr.trim().split(',')[0] ?? 'OpenSSH',
    async close() {
      child.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
