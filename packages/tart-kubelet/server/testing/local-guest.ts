/** A guest whose commands are processes of this machine and whose log is a file: real bytes, real exit codes, no VM. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ExecOptions, ExecSession, GuestScreen, GuestState } from '../../guests/guest.ts';
import type { ServedPod, ServerGuests } from '../server-deps.ts';

export interface LocalGuestOptions {
  readonly namespace?: string;
  readonly name: string;
  readonly folder: string;
  readonly address?: string;
  readonly screen?: GuestScreen;
  /** PATH of the commands: prepend a folder that contains `nc`. */
  readonly path?: string;
}

export interface LocalGuest extends ServedPod {
  /** Children that have not ended. */
  readonly commands: ReadonlySet<ChildProcess>;
  readonly sizes: readonly string[];
  become(state: GuestState | undefined): void;
  /** Appends a line to the log, as the supervisor does. */
  say(text: string, options?: { stream?: 'stdout' | 'stderr'; partial?: boolean; at?: number }): void;
  rotate(suffix: string): void;
  /** A new run: what was current is previous from now on. */
  restart(): void;
}

export const running: GuestState = { phase: 'running', startedAt: 0, address: '127.0.0.1' };
export const exited: GuestState = {
  phase: 'exited',
  exit: { exitCode: 0, reason: 'Completed', message: '', startedAt: 0, finishedAt: 1 },
};

export function localGuest(options: LocalGuestOptions): LocalGuest {
  const listeners = new Set<() => void>();
  const commands = new Set<ChildProcess>();
  const sizes: string[] = [];
  let state: GuestState | undefined = running;
  let attempt = 0;
  const folder = path.join(options.folder, options.name, 'main');
  mkdirSync(folder, { recursive: true });
  const fileOf = (run: number): string => path.join(folder, `${run}.log`);

  return {
    namespace: options.namespace ?? 'default',
    name: options.name,
    uid: `uid-of-${options.name}`,
    containers: ['main'],
    address: options.address,
    commands,
    sizes,
    get state() {
      return state;
    },
    become(next) {
      state = next;
      for (const listener of listeners) listener();
    },
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    logFile: run => (run === 'current' ? fileOf(attempt) : attempt > 0 ? fileOf(attempt - 1) : undefined),
    say(text, { stream = 'stdout', partial = false, at } = {}) {
      const time = new Date(at ?? performance.timeOrigin + performance.now()).toISOString().replace('Z', '000000Z');
      appendFileSync(fileOf(attempt), `${time} ${stream} ${partial ? 'P' : 'F'} ${text}\n`);
    },
    rotate: suffix => renameSync(fileOf(attempt), `${fileOf(attempt)}.${suffix}`),
    restart() {
      attempt += 1;
    },
    screen: async () => options.screen,
    async exec(command) {
      const child = start(command, options.path);
      commands.add(child);
      child.once('close', () => commands.delete(child));
      return sessionOf(child, size => sizes.push(`${size.columns}x${size.rows}`));
    },
  };
}

/** `script` gives a command its own terminal. */
function start({ argv, terminal }: ExecOptions, searchPath: string | undefined): ChildProcess {
  const quoted = argv.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const sized = terminal ? `stty rows ${terminal.rows} cols ${terminal.columns}; exec ${quoted}` : '';
  const [program, ...rest] = terminal ? ['script', '-qec', sized, '/dev/null'] : argv;
  const env = {
    ...process.env,
    ...(searchPath === undefined ? {} : { PATH: `${searchPath}:${process.env['PATH'] ?? ''}` }),
  };
  return spawn(program ?? '', rest, { stdio: 'pipe', detached: true, env });
}

function sessionOf(child: ChildProcess, onResize: (size: { rows: number; columns: number }) => void): ExecSession {
  return {
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
    }),
    resize: onResize,
    close() {
      // Its whole group, as closing a connection to a guest's agent does.
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid);
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended on its own meanwhile.
  }
}

export const guestsOf = (guests: readonly LocalGuest[]): ServerGuests => ({
  find: ({ namespace, name, uid }) =>
    guests.find(
      guest => guest.namespace === namespace && guest.name === name && (uid === undefined || guest.uid === uid),
    ),
});
