import { type ChildProcess, execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { spawnLeashed } from '../../spawn-leashed.ts';
import type { TerminalSize } from './agent-protocol.ts';

/** A real local process that stands for one in the guest, in a group of its own. */
export interface GuestProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** 128 + the signal's number when it was killed by one. */
  readonly exit: Promise<number>;
  /** Ends the command and what it started. */
  kill(): void;
  /** Ends the command and what it left running, also after its own end. */
  powerOff(): void;
  /** Only with a terminal. */
  resize(size: TerminalSize): void;
  /** It has ended by itself: what it left behind is no longer its own. */
  done(): void;
}

interface GuestProcessOptions {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly tty?: TerminalSize | undefined;
}

/** The guest dies with `tart run`, SIGKILL included, and so does what commands that have ended left in it. */
export function startGuestProcess(options: GuestProcessOptions): GuestProcess {
  const terminal = join(options.directory, 'tmp', `.terminal-${++terminals}`);
  const argv = options.tty ? onTerminal(options.argv, options.tty, terminal) : options.argv;
  const child = spawnLeashed(argv, { ...options, leftBehind: 'dies with us' });
  let ended = false;
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exit: exitOf(child),
    kill: () => {
      if (!ended) child.killGroup();
    },
    powerOff: () => child.killGroup(),
    resize: size => resizeTerminal(terminal, size),
    done: () => {
      ended = true;
    },
  };
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
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  });
}
