import { LEAN_PROCESS } from '@minifleet/kube';
import { spawnLeashed } from '@minifleet/world';

/** A running program of Minifleet. */
export interface ProgramProcess {
  readonly pid: number;
  /** Log so far. */
  log(): string;
  /** Exit code, once the program has ended. */
  readonly exit: Promise<number | null>;
  /** Stops the program (default: SIGTERM). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ProgramProcessOptions {
  /** Root of the repository. */
  readonly root: string;
  /** `packages/provider/main.ts`. */
  readonly main: string;
  readonly flags: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a program as a cluster runs it. It ends with this process, even after a SIGKILL. */
export function startProgram({ root, main, flags, environment }: ProgramProcessOptions): ProgramProcess {
  const argv = [process.execPath, ...LEAN_PROCESS.nodeFlags, main, '--bind-address=127.0.0.1:0', ...flags];
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawnLeashed(argv, {
    directory: root,
    environment: { ...LEAN_PROCESS.environment, PATH, NODE_COMPILE_CACHE, ...environment },
  });
  child.stdin.end();
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      log += String(chunk);
    });
  }
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
  return {
    pid: child.pid ?? 0,
    exit: exited,
    log: () => log,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}
