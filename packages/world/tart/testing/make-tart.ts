import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostFile } from '../host/host-file.ts';
import { installTart, writeHostFile } from '../install-tart.ts';

export interface TartResult {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running call. */
export interface StartedTart {
  readonly process: ChildProcess;
  readonly outcome: Promise<TartResult>;
  /** Output so far. */
  readonly stdout: string;
  readonly stderr: string;
}

interface CallOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A `tart` under test: any executable with its own home. */
export interface TartUnderTest {
  readonly home: string;
  call(argv: readonly string[], options?: CallOptions): Promise<TartResult>;
  /** Makes a call that has to succeed; rejects with its output otherwise. */
  succeed(argv: readonly string[], options?: CallOptions): Promise<TartResult>;
  start(argv: readonly string[], options?: CallOptions): StartedTart;
}

export interface SimulatedTart extends TartUnderTest {
  readonly path: string;
  readonly world: string;
  change(host: HostFile): void;
  /** Ends the started calls and removes all files. */
  cleanUp(): Promise<void>;
}

/** One simulated host. Its clock runs fast (default: 50 times). */
export function makeTart(host: HostFile = {}): SimulatedTart {
  const directory = mkdtempSync(join(tmpdir(), 'tart-'));
  const world = join(directory, 'world');
  const settings = { seed: 'test', speed: 50, ...host };
  const path = installTart({ directory: join(directory, 'bin'), world, host: settings });
  const tart = tartAt(path, join(directory, 'home'));
  return {
    ...tart,
    path,
    world,
    change: more => writeHostFile(world, { ...settings, ...more }),
    async cleanUp() {
      await tart.endAll();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Any executable: the contract runs against a real one with this. */
export function tartAt(path: string, home: string): TartUnderTest & { endAll(): Promise<void> } {
  const running = new Set<StartedTart>();
  const start = (argv: readonly string[], options: CallOptions = {}): StartedTart => {
    const environment = { PATH: process.env['PATH'] ?? '', HOME: home, TART_HOME: home, ...options.environment };
    const child = spawn(path, argv, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    const started = follow(child);
    running.add(started);
    void started.outcome.then(() => running.delete(started));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    return started;
  };
  return {
    home,
    start,
    call: (argv, options) => start(argv, options).outcome,
    async succeed(argv, options) {
      const outcome = await start(argv, options).outcome;
      if (outcome.code === 0) return outcome;
      throw new Error(`tart ${argv.join(' ')}: ${outcome.stderr || (outcome.signal ?? outcome.code)}`);
    },
    async endAll() {
      const left = [...running];
      for (const each of left) each.process.kill('SIGKILL');
      await Promise.all(left.map(each => each.outcome));
    },
  };
}

function follow(child: ChildProcess): StartedTart {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr?.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const outcome = new Promise<TartResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    process: child,
    outcome,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
  };
}
