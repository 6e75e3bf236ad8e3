import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { LogStream } from './cri-log.ts';
import { readVmWords, type VmEnding } from './vm-words.ts';

/** `tart run`, our child: the VM lives exactly as long as it does. */
export interface Vm {
  readonly pid: number | undefined;
  readonly ended: Promise<VmEnd>;
  /** SIGINT cuts the power as `tart stop` does, without asking Tart who holds the lock; SIGKILL does it for certain. */
  signal(name: 'SIGINT' | 'SIGKILL'): void;
}

export interface VmEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly ending: VmEnding | undefined;
  /** Its last words, for people. */
  readonly words: string;
}

export interface VmOptions {
  readonly path: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onLine: (stream: LogStream, line: string) => void;
}

const MOST_WORDS = 2_000;

export function startVm({ path, argv, environment, onLine }: VmOptions): Vm {
  const child = spawn(path, argv, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const told: VmEnding[] = [];
  let words = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[stream] }).on('line', line => {
      const ending = readVmWords(line);
      if (ending) told.push(ending);
      words = `${words}${line}\n`.slice(-MOST_WORDS);
      onLine(stream, line);
    });
  }
  const ended = new Promise<VmEnd>(resolve => {
    child.once('error', error => resolve({ ...NOTHING, words: error.message }));
    // Closed, not exited: the line that says how it ended comes last.
    child.once('close', (code, signal) =>
      resolve({ exitCode: code ?? undefined, signal: signal ?? undefined, ending: worst(told), words: words.trim() }),
    );
  });
  return { pid: child.pid, ended, signal: name => void child.kill(name) };
}

const NOTHING = { exitCode: undefined, signal: undefined, ending: undefined };
const BY_WEIGHT: readonly VmEnding[] = ['crashed', 'network lost', 'halted', 'power cut'];

/** A power cut that we order after a crash must not hide the crash. */
const worst = (told: readonly VmEnding[]): VmEnding | undefined => BY_WEIGHT.find(ending => told.includes(ending));
