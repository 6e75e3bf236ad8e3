import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { root } from '../mac.ts';
import { openSshKey } from '../ssh/host-key.ts';
import { type SshServer, type SshServerOptions, startSshServer } from '../ssh/start-ssh-server.ts';
import { createTestMac, type TestMac } from './test-mac.ts';

interface SshResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A Mac that real OpenSSH clients can reach, with its own key in a folder that is removed when the test ends. */
interface ReachableMac extends TestMac {
  readonly server: SshServer;
  readonly folder: string;
  readonly ssh: (
    command: string,
    options?: { readonly stdin?: Buffer | string; readonly flags?: readonly string[] },
  ) => Promise<SshResult>;
  readonly scp: (from: string, to: string) => Promise<SshResult>;
  readonly sftp: (batch: string) => Promise<SshResult>;
}

const MAC_USER = 'm1';

export async function createReachableMac(
  context: TestContext,
  options: { readonly keyFile?: string; readonly server?: SshServerOptions } = {},
): Promise<ReachableMac> {
  const test = createTestMac();
  const folder = mkdtempSync(join(tmpdir(), 'mac-'));
  const key = openSshKey(randomBytes(32));
  const keyPath = join(folder, 'key');
  writeFileSync(keyPath, key.private, { mode: 0o600 });
  test.mac.files.write(root, `/Users/m1/.ssh/${options.keyFile ?? 'authorized_keys'}`, `${key.public} fleet\n`);
  const server = await startSshServer(test.mac, options.server);
  context.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const flags = [
    ...[
      '-F',
      '/dev/null',
      '-i',
      keyPath,
      '-o',
      'IdentitiesOnly=yes',
      '-o',
      'IdentityAgent=none',
      '-o',
      'BatchMode=yes',
    ],
    ...['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR'],
  ];
  const target = `${MAC_USER}@127.0.0.1`;
  const port = String(server.port);
  return {
    ...test,
    server,
    folder,
    ssh: (command, { stdin = '', flags: more = [] } = {}) =>
      runClient('ssh', [...flags, ...more, '-p', port, target, command], stdin),
    scp: (from, to) =>
      runClient(
        'scp',
        [...flags, '-P', port, from.replace(/^mac:/, `${target}:`), to.replace(/^mac:/, `${target}:`)],
        '',
      ),
    sftp: batch => runClient('sftp', [...flags, '-P', port, '-b', '-', target], batch),
  };
}

function runClient(program: string, argv: readonly string[], stdin: Buffer | string): Promise<SshResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { stdio: 'pipe' });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // The server may stop reading before everything is sent.
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('close', code =>
      resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    );
    child.stdin.end(stdin);
  });
}
