import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { GuestScreen } from '../guest.ts';
import type { LogStream } from './cri-log.ts';

/** How a VM ended, by the line `tart run` prints: its exit code is 0 for a halt, a crash and a lost network alike (I38, facts 10.6). */
type VmEnding = 'crashed' | 'network lost' | 'halted' | 'power cut';

const WORDS: readonly (readonly [RegExp, VmEnding])[] = [
  [/^guest has stopped the virtual machine due to error/, 'crashed'],
  [/^virtual machine's network attachment .*has been disconnected/, 'network lost'],
  [/^guest has stopped the virtual machine\s*$/, 'halted'],
  [/^Stopping VM\.\.\./, 'power cut'],
];

export const readVmWords = (line: string): VmEnding | undefined => WORDS.find(([pattern]) => pattern.test(line))?.[1];

/** Lines that belong to every normal life. In the log of a Pod with a process of its own they would be noise. */
export const isOrdinary = (line: string): boolean =>
  isScreenLine(line) || ['halted', 'power cut'].includes(readVmWords(line) ?? '');

/** `tart run`, our child, in a group of its own: what is called Tart may be a wrapper, and the VM lives as long as what it wraps. */
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

interface VmOptions {
  readonly path: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onLine: (stream: LogStream, line: string) => void;
  readonly onScreen: (screen: GuestScreen) => void;
}

const MOST_WORDS = 2_000;

export function startVm({ path, argv, environment, onLine, onScreen }: VmOptions): Vm {
  const child = spawn(path, argv, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const told: VmEnding[] = [];
  let words = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[stream] }).on('line', said => {
      const screen = readScreenLine(said);
      if (screen) onScreen(screen);
      // From here on nobody knows the password: neither the log nor the last words.
      const line = withoutPassword(said);
      const ending = readVmWords(line);
      if (ending) told.push(ending);
      if (!isScreenLine(line)) words = `${words}${line}\n`.slice(-MOST_WORDS);
      onLine(stream, line);
    });
  }
  let over = false;
  const signal = (name: NodeJS.Signals): void => {
    if (!over && child.pid !== undefined) signalGroup(child.pid, name);
  };
  const ended = new Promise<VmEnd>(resolve => {
    child.once('error', error => resolve({ ...NOTHING, words: error.message }));
    // A wrapper that was killed alone leaves the VM, and that holds our pipe.
    child.once('exit', () => signal('SIGKILL'));
    // Closed, not exited: the line that says how it ended comes last.
    child.once('close', (code, by) => {
      over = true;
      resolve({ exitCode: code ?? undefined, signal: by ?? undefined, ending: worst(told), words: words.trim() });
    });
  });
  return { pid: child.pid, ended, signal };
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // Nobody is left in it.
  }
}

const NOTHING = { exitCode: undefined, signal: undefined, ending: undefined };
const BY_WEIGHT: readonly VmEnding[] = ['crashed', 'network lost', 'halted', 'power cut'];

/** A power cut that we order after a crash must not hide the crash. */
const worst = (told: readonly VmEnding[]): VmEnding | undefined => BY_WEIGHT.find(ending => told.includes(ending));

/** The line by which `tart run` says where it serves the guest's screen (facts 10.6), and how to repeat it to others. */

const ANNOUNCED = /^VNC server is running at vnc:/;
const PLACE = /vnc:\/\/[^\s:@]*:(\S+)@(\S+):(\d{1,5})\s*$/;
const LOOPBACK = /^(127(\.\d+){3}|\[::1\]|localhost)$/;

export const isScreenLine = (line: string): boolean => ANNOUNCED.test(line);

/** Undefined for every other line, and for a screen that is open to all or not on this host: such a one is none of ours. */
export function readScreenLine(line: string): GuestScreen | undefined {
  const [, password = '', host = '', port] = (isScreenLine(line) && PLACE.exec(line)) || [];
  return LOOPBACK.test(host) ? { host: host.replaceAll(/[[\]]/g, ''), port: Number(port), password } : undefined;
}

/** Whatever else Tart may say about VNC, and however the line was cut: from the scheme to the last `@` nothing is shown. */
export const withoutPassword = (line: string): string =>
  line.replaceAll(/\bvnc:\/\/(\S*@)?(\S*)/gi, (_, secret: string | undefined, rest: string) =>
    secret === undefined ? 'vnc://REDACTED' : `vnc://:REDACTED@${rest}`,
  );
