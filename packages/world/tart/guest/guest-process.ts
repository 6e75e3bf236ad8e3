import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { TerminalSize } from './agent-protocol.ts';

/** A real local process that stands for one in the guest, in a group of its own. */
export interface GuestProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly group: number;
  /** 128 + the signal's number when it was killed by one. */
  readonly exit: Promise<number>;
  /** Ends the command and what it started. */
  kill(): void;
  /** Only with a terminal. */
  resize(size: TerminalSize): void;
  /** It has ended by itself: what it left behind is no longer its own. */
  done(): void;
}

export interface GuestProcessOptions {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly tty?: TerminalSize | undefined;
}

/**
 * The guest dies with `tart run`, SIGKILL included: a watcher in the group holds the other end of descriptor 3 and kills the
 * group when that closes. A line on it lets the watcher go when the command has ended; what it left behind lives on.
 */
const WATCHED = `
{ if read -r _ <&3; then exit 0; fi; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
exec 4<&0
"$@" <&4 3<&- 4<&- &
wait $!
`;

export function startGuestProcess(options: GuestProcessOptions): GuestProcess {
  const terminal = join(options.directory, 'tmp', `.terminal-${++terminals}`);
  const argv = options.tty ? onTerminal(options.argv, options.tty, terminal) : options.argv;
  const child = spawn('/bin/sh', ['-c', WATCHED, 'guest', ...argv], {
    cwd: options.directory,
    env: options.environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const leash = child.stdio[3] as Duplex;
  for (const stream of [child.stdin, leash]) stream?.on('error', () => undefined);
  const exit = exitOf(child).then(code => {
    leash.end('\n');
    return code;
  });
  const group = child.pid ?? 0;
  let ended = false;
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    group,
    exit,
    kill: () => {
      if (!ended) killGroup(group);
    },
    resize: size => resizeTerminal(terminal, size),
    done: () => {
      ended = true;
    },
  };
}

export function killGroup(group: number): void {
  if (group <= 1) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

let terminals = 0;

/** Node has no pseudo-terminals; util-linux' script makes one. Its name is left in a file, for a later change of size. */
function onTerminal(argv: readonly string[], size: TerminalSize, file: string): string[] {
  const command = argv.map(quoted).join(' ');
  const sized = size.rows > 0 ? `stty rows ${size.rows} cols ${size.columns}; ` : '';
  // script runs it with $SHELL, and the guest's shell need not be on this host.
  // A change of size may come before there is a terminal: then it is found here.
  const changed = `[ ! -e ${quoted(sizeFile(file))} ] || stty $(cat ${quoted(sizeFile(file))}); `;
  const inner = `tty > ${quoted(file)}; ${sized}${changed}exec ${command}`;
  return ['env', 'SHELL=/bin/sh', 'script', '-q', '-e', '-c', inner, '/dev/null'];
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const sizeFile = (file: string): string => `${file}.size`;

/** The kernel tells the foreground group by SIGWINCH. */
function resizeTerminal(file: string, { rows, columns }: TerminalSize): void {
  const words = ['rows', `${rows}`, 'cols', `${columns}`];
  try {
    writeFileSync(sizeFile(file), words.join(' '));
    const device = readFileSync(file, 'utf8').trim();
    execFile('stty', ['-F', device, ...words], () => undefined);
  } catch {
    // No terminal, or not yet.
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise(resolve => {
    child.on('error', () => resolve(127));
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
  });
}
