/** kubectl as a person runs it: its output, its exit code, and its input. */
import { type ChildProcess, spawn } from 'node:child_process';
import { findBinaries } from '@minifleet/local-cluster';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Kubectl {
  readonly program: string;
  run(argv: readonly string[], options?: { input?: string | Buffer; timeoutMs?: number }): Promise<Ran>;
  /** Started and left running; `output` grows. */
  start(argv: readonly string[]): KubectlProcess;
  /** With its own terminal, 100 by 40. */
  atTerminal(argv: readonly string[], options?: { input?: string }): Promise<Ran>;
}

interface KubectlProcess {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

/** Limit of a command in milliseconds: its own `--timeout` and ten seconds, so that kubectl reports what it waited for. */
function limitOf(argv: readonly string[]): number {
  const [, own] = /^--timeout=(\d+)s$/.exec(argv.find(word => word.startsWith('--timeout=')) ?? '') ?? [];
  return own === undefined ? 60_000 : Number(own) * 1_000 + 10_000;
}

export async function kubectlOf(kubeconfig: string, home: string): Promise<Kubectl> {
  const { kubectl: program } = await findBinaries({ programs: ['kubectl'] });
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig, TERM: 'xterm' };

  function start([command = '', ...argv]: readonly string[], timeout?: number) {
    const child = spawn(command, argv, { env, stdio: 'pipe', ...(timeout === undefined ? {} : { timeout }) });
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      texts.stdout += chunk.toString('latin1');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      texts.stderr += chunk.toString('latin1');
    });
    child.stdin.on('error', () => undefined);
    const exited = new Promise<number | null>(resolve => child.once('close', resolve));
    return { child, texts, exited };
  }

  async function finish(argv: readonly string[], input?: string | Buffer, timeoutMs = limitOf(argv)): Promise<Ran> {
    const { child, texts, exited } = start(argv, timeoutMs);
    child.stdin.end(input);
    const code = await exited;
    if (child.killed) texts.stderr += `ended after ${timeoutMs / 1_000} s`;
    return { code, ...texts };
  }

  return {
    program,
    run: (argv, options = {}) => finish([program, ...argv], options.input, options.timeoutMs),
    start(argv) {
      const { child, texts, exited } = start([program, ...argv]);
      const stop = async (): Promise<void> => {
        child.kill('SIGINT');
        await exited;
      };
      return { child, output: () => texts.stdout + texts.stderr, exited, stop };
    },
    atTerminal(argv, options = {}) {
      const line = `stty rows 40 cols 100; exec ${[program, ...argv].map(word => `'${word}'`).join(' ')}`;
      return finish(['script', '-qec', line, '/dev/null'], options.input);
    },
  };
}
