import type { ChildProcess } from 'node:child_process';
import { type Duration, pause } from '@minifleet/clock';
import { spawnLeashed } from '../../spawn-leashed.ts';
import type { OpenFile } from '../files/file-system.ts';
import type { Mac, User } from '../mac.ts';
import type { Process, Signal } from '../processes/process-table.ts';
import type { LaunchdJob } from './launchd.ts';

/** Everything a job's program receives at its start. */
export interface JobStart {
  readonly mac: Mac;
  readonly label: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: User;
  readonly directory: string;
  out(text: string | Buffer): void;
  err(text: string | Buffer): void;
}

/** Behaviour of a job whose program the Mac cannot run itself: an uploaded binary or a system daemon. */
export interface JobProgram {
  /** Part of the system; no file is needed. */
  readonly builtIn?: boolean;
  /** Runs until it returns the exit code. Without a body, the job runs until it is signalled. */
  readonly body?: (start: JobStart, process: Process) => Promise<number>;
  readonly onSignal?: (signal: Signal, process: Process) => 'handled' | undefined;
  /** A real program of this machine that does the work. */
  readonly spawn?: (start: JobStart) => ChildProcess;
}

const KEY = Symbol('job programs');

/** By the program path in the job's definition. */
export const jobProgramsOf = (mac: Mac): Map<string, JobProgram> => mac.state(KEY, () => new Map());

/** Exits with the code after the duration, on every start. */
export const exitsAfter = (duration: Duration, code: number): JobProgram => ({
  body: async (start, process) => {
    await pause(start.mac.around.clock, duration, process.signal);
    return code;
  },
});

interface RealCommand {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
}

/**
 * Runs a real local program for the job, so that a test runs the real agent. Paths and addresses of the simulated Mac
 * do not exist for it: `map` turns the job's command line into one that works on this machine.
 */
export const realProgram = (map: (start: JobStart) => RealCommand): JobProgram => ({
  spawn(start) {
    const { file, arguments: words, environment, directory } = map(start);
    const child = spawnLeashed([file, ...words], { environment: environment ?? {}, directory });
    child.stdin.end();
    child.stdout.on('data', (chunk: Buffer) => start.out(chunk));
    child.stderr.on('data', (chunk: Buffer) => start.err(chunk));
    return child;
  },
});

/** Output files of a job. launchd keeps them open: it still writes to a log that was renamed (facts §3.19). */
export interface JobOutput {
  out(text: string | Buffer): void;
  err(text: string | Buffer): void;
  close(): void;
}

/** Undefined if a file cannot be opened as the job's user; the job then fails with EX_CONFIG (derived). */
export function openOutput(mac: Mac, { definition, user }: LaunchdJob): JobOutput | undefined {
  const open = (path: string | undefined): OpenFile | undefined =>
    path === undefined ? undefined : mac.files.open(user, path, { for: 'appending', mode: 0o644 });
  const write = (file: OpenFile | undefined, text: string | Buffer): void => {
    try {
      file?.write(text);
    } catch {
      // A full disk loses the line; the job continues.
    }
  };
  try {
    const out = open(definition.standardOut);
    const shared = definition.standardError === definition.standardOut;
    const err = shared ? out : open(definition.standardError);
    return {
      out: text => write(out, text),
      err: text => write(err, text),
      close: () => {
        out?.close();
        if (!shared) err?.close();
      },
    };
  } catch {
    return undefined;
  }
}
