import type { ChildProcess } from 'node:child_process';
import { type Duration, pause } from '@minifleet/clock';
import { spawnLeashed } from '../../spawn-leashed.ts';
import type { OpenFile } from '../files/file-system.ts';
import type { Mac, User } from '../mac.ts';
import type { Process, Signal } from '../processes/process-table.ts';
import type { LaunchdJob } from './launchd.ts';

/** A job that is about to run: all its program is given. */
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

/** What a job does when its program is not one the Mac can run itself: an uploaded binary, a daemon of the system. */
export interface JobProgram {
  /** Part of the system: there is no file to look for. */
  readonly builtIn?: boolean;
  /** Until it returns its exit code; without one the job runs until it is signalled. */
  readonly body?: (start: JobStart, process: Process) => Promise<number>;
  readonly onSignal?: (signal: Signal, process: Process) => 'handled' | undefined;
  /** A real program of this machine that does the work. */
  readonly spawn?: (start: JobStart) => ChildProcess;
}

const KEY = Symbol('job programs');

/** By the path the job names. */
export const jobProgramsOf = (mac: Mac): Map<string, JobProgram> => mac.state(KEY, () => new Map());

/** Exits with the code after a while, each time it is started. */
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
 * A real local program stands for the job, so that a test runs the true agent. Paths and addresses of the simulated Mac
 * mean nothing to it: `map` turns the job's command line into one that works here.
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

/** Where a job's words go. launchd holds the files open: a log renamed away is still written to (facts §3.19). */
export interface JobOutput {
  out(text: string | Buffer): void;
  err(text: string | Buffer): void;
  close(): void;
}

/** Undefined when a file cannot be opened as the job's user: the job then fails with EX_CONFIG (derived). */
export function openOutput(mac: Mac, { definition, user }: LaunchdJob): JobOutput | undefined {
  const open = (path: string | undefined): OpenFile | undefined =>
    path === undefined ? undefined : mac.files.open(user, path, { for: 'appending', mode: 0o644 });
  const write = (file: OpenFile | undefined, text: string | Buffer): void => {
    try {
      file?.write(text);
    } catch {
      // A full disk loses the line, not the job.
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
