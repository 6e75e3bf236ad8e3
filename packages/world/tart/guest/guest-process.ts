import { type ChildProcess, execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { spawnLeashed } from '../../spawn-leashed.ts';
import type { TerminalSize } from './agent-protocol.ts';

/** A real local process in place of one in the guest, in its own process group. */
export interface GuestProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** 128 + the signal's number if a signal killed it. */
  readonly exit: Promise<number>;
  /** Kills the command and its children. */
  kill(): void;
  /** Kills the command and the processes it left running, even after its own exit. */
  powerOff(): void;
  /** Only with a terminal. */
  resize(size: TerminalSize): void;
  /** Called after a normal exit: processes it left behind are no longer killed with it. */
  done(): void;
}

interface GuestProcessOptions {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly tty?: TerminalSize | undefined;
}

/** The guest dies with `tart run`, including on SIGKILL, and so do processes left by finished commands. */
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

/** Node has no pseudo-terminals; util-linux's script makes one. Its name is written to a file for a later resize. */
function onTerminal(argv: readonly string[], size: TerminalSize, file: string): string[] {
  const command = argv.map(quoted).join(' ');
  const sized = size.rows > 0 ? `stty rows ${size.rows} cols ${size.columns}; ` : '';
  // script runs the command with $SHELL, and the guest's shell may not exist on this host. A resize may arrive before
  // the terminal exists; its size is then read here.
  const changed = `[ ! -e ${quoted(sizeFile(file))} ] || stty $(cat ${quoted(sizeFile(file))}); `;
  const inner = `tty > ${quoted(file)}; ${sized}${changed}exec ${command}`;
  return ['env', 'SHELL=/bin/sh', 'script', '-q', '-e', '-c', inner, '/dev/null'];
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const sizeFile = (file: string): string => `${file}.size`;

/** The kernel notifies the foreground group with SIGWINCH. */
function resizeTerminal(file: string, { rows, columns }: TerminalSize): void {
  const words = ['rows', `${rows}`, 'cols', `${columns}`];
  try {
    writeFileSync(sizeFile(file), words.join(' '));
    const device = readFileSync(file, 'utf8').trim();
    execFile('stty', ['-F', device, ...words], () => undefined);
  } catch {
    // There is no terminal, or not yet.
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise(resolve => {
    child.on('error', () => resolve(127));
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  });
}
