/** OpenSSH's own server on loopback: the one of this machine, or Debian's package unpacked into a folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@minifleet/clock/testing';
import { findFreePorts } from '@minifleet/local-cluster';
import { type Unpacked, unpackDebian } from './debian-package.ts';
import { endConnections } from './open-ssh-connections.ts';

const run = promisify(execFile);
const PLACES = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

// Started by root it insists on a user of its own: one that exists only in its own view of the file system. So do an
// ordinary account, and a home and shell for root that owe nothing to this machine's (a slow .bashrc, say).
const accounts = (home: string, shell: string): string => `root:x:0:0::${home}:${shell}
fleet:x:65532:65534::${home}:${shell}
sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin
`;
const WITH_ITS_USERS = 'mount --bind "$1/passwd" /etc/passwd && shift && exec "$@"';

// The account of the test is root, or may do what it needs to: as on a Mac whose sudo asks nothing.
const SUDO = `#!/bin/sh
[ "$1" != -n ] || shift
exec "$@"
`;

export interface OpenSshServer {
  readonly port: number;
  /** May do everything, as root on a Mac through sudo. */
  readonly user: string;
  /** An account that is not root, where there is one. */
  readonly ordinaryUser: string | undefined;
  readonly version: string;
  /** A folder of the test, gone with the server. */
  readonly folder: string;
  /** Kills the processes that serve connections, not the commands they run. */
  endConnections(): Promise<void>;
  /** Continues at the same port with another host key, as a reinstalled host. */
  changeHostKey(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenSshServerOptions {
  /** Login shell, as on a Mac (default: /bin/sh). Needs root. */
  readonly shell?: string;
}

/** Rejects with the reason where there is no such server to be had. */
export async function startOpenSshServer(
  publicKey: string,
  options: OpenSshServerOptions = {},
): Promise<OpenSshServer> {
  const folder = await mkdtemp(join(tmpdir(), 'minifleet-sshd-'));
  try {
    const program = await findServer();
    const [port = 0] = await findFreePorts(1);
    await prepare(folder, publicKey, options);
    let child = await serve(program, { folder, port });
    const stop = async (): Promise<void> => {
      const ended = new Promise(resolve => child.once('exit', resolve));
      await endConnections(child.pid ?? 0);
      child.kill();
      await ended;
    };
    return {
      port,
      folder,
      user: userInfo().username,
      ordinaryUser: isRoot() ? 'fleet' : undefined,
      version: (await run('ssh', ['-V'])).stderr.trim().split(',')[0] ?? 'OpenSSH',
      endConnections: () => endConnections(child.pid ?? 0),
      async changeHostKey() {
        await stop();
        await makeHostKey(folder);
        child = await serve(program, { folder, port });
      },
      async close() {
        await stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`no OpenSSH server: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`, {
      cause: error,
    });
  }
}

interface Program extends Omit<Unpacked, 'root'> {
  readonly path: string;
}

async function findServer(): Promise<Program> {
  const installed = PLACES.find(existsSync);
  if (installed) return { path: installed, environment: {} };
  const { root, environment } = await unpackDebian('openssh', ['openssh-server', 'libwrap0']);
  return { path: join(root, 'usr/sbin/sshd'), environment };
}

async function prepare(folder: string, publicKey: string, { shell }: OpenSshServerOptions): Promise<void> {
  await makeHostKey(folder);
  await writeFile(join(folder, 'authorized_keys'), `${publicKey}\n`, { mode: 0o644 });
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'home'));
  // Copied, because an ordinary account has no access to the cache of the user who runs the test.
  if (shell) await copyFile(shell, join(folder, 'bin/login-shell'));
  await writeFile(
    join(folder, 'passwd'),
    accounts(join(folder, 'home'), shell ? join(folder, 'bin/login-shell') : '/bin/sh'),
  );
  await writeFile(join(folder, 'bin/sudo'), SUDO);
  await chmod(join(folder, 'bin/sudo'), 0o755);
  // Every account walks through it.
  await chmod(folder, 0o755);
  // Its privilege separation wants the folder, whatever the configuration.
  if (isRoot()) await mkdir('/run/sshd', { recursive: true });
}

async function makeHostKey(folder: string): Promise<void> {
  await rm(join(folder, 'host_key'), { force: true });
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'host_key')]);
}

async function serve(program: Program, { folder, port }: { folder: string; port: number }): Promise<ChildProcess> {
  const options = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: join(folder, 'host_key'),
    AuthorizedKeysFile: join(folder, 'authorized_keys'),
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    MaxStartups: 200,
    SetEnv: `PATH=${join(folder, 'bin')}:${PATH}`,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const argv = [program.path, '-D', '-f', '/dev/null', ...flags];
  const [command = '', ...args] = isRoot()
    ? ['unshare', '-m', 'sh', '-c', WITH_ITS_USERS, 'sh', folder, ...argv]
    : argv;
  const child = spawn(command, args, { stdio: 'ignore', env: { ...program.environment, PATH } });
  await eventually(() => canConnect(port), { what: 'sshd' });
  return child;
}

const isRoot = (): boolean => userInfo().uid === 0;

const canConnect = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
