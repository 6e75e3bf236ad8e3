import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEAN_PROCESS } from '@minifleet/kube';
import { spawnLeashed } from '@minifleet/world';
import type { Home } from '../home/home.ts';

export interface StartProgramOptions {
  readonly program: 'provider' | 'runners';
  readonly home: Home;
  /** Of the program's own account. */
  readonly token: string;
  readonly flags: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface RunningProgram {
  readonly logFile: string;
  /** When it ends by itself, with its exit code: it should not. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

/** One of our programs as a process of its own, as a cluster runs it. It cannot outlive us. */
export async function startProgram(options: StartProgramOptions): Promise<RunningProgram> {
  const { program, home, flags, environment } = options;
  const main = fileURLToPath(new URL(`../../../${program}/main.ts`, import.meta.url));
  const kubeconfig = `--kubeconfig=${await kubeconfigFor(options)}`;
  const argv = [process.execPath, ...LEAN_PROCESS.nodeFlags, main, kubeconfig, '--bind-address=127.0.0.1:0', ...flags];
  const child = spawnLeashed(argv, { environment: { ...LEAN_PROCESS.environment, ...environment } });
  const logFile = join(home.directory, `${program}.log`);
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve));
  return {
    logFile,
    ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      log.end();
    },
  };
}

/** By the address the Macs reach the API server at: it is what they are told to join. */
async function kubeconfigFor({ program, home, token }: StartProgramOptions): Promise<string> {
  const path = join(home.directory, `${program}.kubeconfig`);
  const { server, certificateAuthority: authority } = home;
  const trust = authority ? { 'certificate-authority-data': Buffer.from(authority).toString('base64') } : {};
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'home', cluster: { server, ...trust } }],
    users: [{ name: program, user: { token } }],
    contexts: [{ name: 'home', context: { cluster: 'home', user: program } }],
    'current-context': 'home',
  });
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
