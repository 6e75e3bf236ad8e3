import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, seconds } from '@minifleet/clock';
import { SUPERVISOR_DID_NOT_START } from './errors.ts';
import { plainWords } from './printable.ts';

interface PrepareSupervisorOptions {
  /** The program with its arguments; the guest's folder follows. */
  readonly command: readonly [string, ...string[]];
  readonly directory: string;
  readonly guest: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

interface PreparedSupervisor {
  /** Resolves when it can be connected to, or has found the guest taken. */
  go(): Promise<'ready' | 'taken'>;
  /** It is not needed after all. */
  discard(): void;
}

const READY_WITHIN = seconds(30);
/** Its complaints, which are few: everything else of a guest has its place. */
const WORDS = 'supervisor.log';

/**
 * Starts a supervisor in a session of its own, so that it outlives this process and whoever kills its group. It gets ready
 * while the VM is cloned, and waits for a word on its input; should we die first, the input ends, and so does it.
 */
export function prepareSupervisor(options: PrepareSupervisorOptions): PreparedSupervisor {
  const { directory, environment } = options;
  const [program, ...args] = options.command;
  const words = openSync(join(directory, WORDS), 'w', 0o600);
  const child = spawn(program, [...args, directory], {
    cwd: directory,
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', words],
  });
  closeSync(words);
  child.unref();
  child.stdin?.on('error', () => undefined);
  const answer = readyWord(child, options);
  answer.catch(() => undefined);
  const discard = (): void => {
    child.stdin?.destroy();
    // It closes its side itself; nothing but this one word passes here.
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

function readyWord(child: ChildProcess, { directory, guest }: PrepareSupervisorOptions): Promise<'ready' | 'taken'> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(SUPERVISOR_DID_NOT_START({ guest, why }));
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve(said.startsWith('ready') ? 'ready' : 'taken');
    });
    child.once('error', error => fail(error.message));
    child.once('exit', (code, signal) => fail(`it ended with ${signal ?? code}: ${lastWords(directory)}`));
  });
}

function lastWords(directory: string): string {
  try {
    return plainWords(readFileSync(join(directory, WORDS), 'utf8').slice(-2_000));
  } catch {
    return '';
  }
}
