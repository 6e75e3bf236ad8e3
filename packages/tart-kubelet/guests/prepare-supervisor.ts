import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, seconds } from '@minifleet/clock';
import { SUPERVISOR_DID_NOT_START } from './errors.ts';
import { printable } from './printable.ts';

interface PrepareSupervisorOptions {
  /** The program and its arguments; the guest's folder is appended. */
  readonly command: readonly [string, ...string[]];
  readonly directory: string;
  readonly guest: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

interface PreparedSupervisor {
  /** Resolves when the supervisor accepts connections, or has found the guest taken. */
  go(): Promise<'ready' | 'taken'>;
  /** Cancels the supervisor. */
  discard(): void;
}

const READY_WITHIN = seconds(30);
/** The supervisor's stderr, which is short: all other output of a guest has its own file. */
const STDERR_FILE = 'supervisor.log';

/**
 * Starts a supervisor in a separate session, so that it outlives this process and a kill of its group. It initialises
 * while the VM is cloned, and waits for a line on stdin; if the agent dies first, stdin closes and the supervisor
 * exits.
 */
export function prepareSupervisor(options: PrepareSupervisorOptions): PreparedSupervisor {
  const { directory, environment } = options;
  const [program, ...args] = options.command;
  const stderrFile = openSync(join(directory, STDERR_FILE), 'w', 0o600);
  const child = spawn(program, [...args, directory], {
    cwd: directory,
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', stderrFile],
  });
  closeSync(stderrFile);
  child.unref();
  child.stdin?.on('error', () => undefined);
  const answer = readyLine(child, options);
  answer.catch(() => undefined);
  const discard = (): void => {
    child.stdin?.destroy();
    // The supervisor closes its side itself; only one line passes here.
    child.stdout?.destroy();
  };
  return {
    async go() {
      child.stdin?.write('go\n');
      const late = options.clock.after(READY_WITHIN, () => void child.kill('SIGKILL'));
      try {
        return await answer;
      } finally {
        late.cancel();
        discard();
      }
    },
    discard,
  };
}

function readyLine(child: ChildProcess, { directory, guest }: PrepareSupervisorOptions): Promise<'ready' | 'taken'> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(SUPERVISOR_DID_NOT_START({ guest, why }));
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('\n')) resolve(output.startsWith('ready') ? 'ready' : 'taken');
    });
    child.once('error', error => fail(error.message));
    child.once('exit', (code, signal) => fail(`exited with ${signal ?? code}: ${lastStderr(directory)}`));
  });
}

function lastStderr(directory: string): string {
  try {
    return printable(readFileSync(join(directory, STDERR_FILE), 'utf8').slice(-2_000));
  } catch {
    return '';
  }
}
