import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { GuestScreen } from '../guest.ts';
import type { OutputStream } from './cri-log.ts';

/**
 * Way a VM ended, from the line that `tart run` prints: its exit code is 0 for a halt, a crash and a lost network alike
 * (I38, facts 10.6).
 */
type VmEnding = 'crashed' | 'network lost' | 'halted' | 'power cut';

const ENDING_LINES: readonly (readonly [RegExp, VmEnding])[] = [
  [/^guest has stopped the virtual machine due to error/, 'crashed'],
  [/^virtual machine's network attachment .*has been disconnected/, 'network lost'],
  [/^guest has stopped the virtual machine\s*$/, 'halted'],
  [/^Stopping VM\.\.\./, 'power cut'],
];

export const readVmEnding = (line: string): VmEnding | undefined =>
  ENDING_LINES.find(([pattern]) => pattern.test(line))?.[1];

/** Lines of every normal run. They would be noise in the log of a Pod with a process. */
export const isOrdinary = (line: string): boolean =>
  isScreenLine(line) || ['halted', 'power cut'].includes(readVmEnding(line) ?? '');

/**
 * `tart run` as a child process in a separate process group: the Tart binary may be a wrapper, and the VM lives as long
 * as the wrapped process.
 */
export interface Vm {
  readonly pid: number | undefined;
  readonly ended: Promise<VmEnd>;
  /** SIGINT cuts the power as `tart stop` does, without depending on Tart's lock; SIGKILL always works. */
  signal(name: 'SIGINT' | 'SIGKILL'): void;
}

export interface VmEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly ending: VmEnding | undefined;
  /** End of its output, for operators. */
  readonly lastOutput: string;
}

interface VmOptions {
  readonly path: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onLine: (stream: OutputStream, line: string) => void;
  readonly onScreen: (screen: GuestScreen) => void;
}

const MAX_LAST_OUTPUT = 2_000;

export function startVm({ path, argv, environment, onLine, onScreen }: VmOptions): Vm {
  const child = spawn(path, argv, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const endings: VmEnding[] = [];
  let lastOutput = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[stream] }).on('line', rawLine => {
      const screen = readScreenLine(rawLine);
      if (screen) onScreen(screen);
      // The password is removed here, so that neither the log nor the last output contains it.
      const line = withoutPassword(rawLine);
      const ending = readVmEnding(line);
      if (ending) endings.push(ending);
      if (!isScreenLine(line)) lastOutput = `${lastOutput}${line}\n`.slice(-MAX_LAST_OUTPUT);
      onLine(stream, line);
    });
  }
  let over = false;
  const signal = (name: NodeJS.Signals): void => {
    if (!over && child.pid !== undefined) signalGroup(child.pid, name);
  };
  const ended = new Promise<VmEnd>(resolve => {
    child.once('error', error => resolve({ ...NOTHING, lastOutput: error.message }));
    // If only the wrapper was killed, the VM is left and holds the pipe open.
    child.once('exit', () => signal('SIGKILL'));
    // On `close`, not `exit`: the line with the cause comes last.
    child.once('close', (code, by) => {
      over = true;
      resolve({
        exitCode: code ?? undefined,
        signal: by ?? undefined,
        ending: worst(endings),
        lastOutput: lastOutput.trim(),
      });
    });
  });
  return { pid: child.pid, ended, signal };
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // The group is already empty.
  }
}

const NOTHING = { exitCode: undefined, signal: undefined, ending: undefined };
const BY_SEVERITY: readonly VmEnding[] = ['crashed', 'network lost', 'halted', 'power cut'];

/** A power cut ordered after a crash must not hide the crash. */
const worst = (endings: readonly VmEnding[]): VmEnding | undefined =>
  BY_SEVERITY.find(ending => endings.includes(ending));

/** Parses and redacts the line with which `tart run` announces the guest's screen (facts 10.6). */

const ANNOUNCED = /^VNC server is running at vnc:/;
const SCREEN_ADDRESS = /vnc:\/\/[^\s:@]*:(\S+)@(\S+):(\d{1,5})\s*$/;
const LOOPBACK = /^(127(\.\d+){3}|\[::1\]|localhost)$/;

export const isScreenLine = (line: string): boolean => ANNOUNCED.test(line);

/**
 * Undefined for other lines, and for a screen without a password or not on the loopback interface, which is not used.
 */
export function readScreenLine(line: string): GuestScreen | undefined {
  const [, password = '', host = '', port] = (isScreenLine(line) && SCREEN_ADDRESS.exec(line)) || [];
  return LOOPBACK.test(host) ? { host: host.replaceAll(/[[\]]/g, ''), port: Number(port), password } : undefined;
}

/** Hides everything from the scheme to the last `@`, in any line about VNC and however it was cut. */
export const withoutPassword = (line: string): string =>
  line.replaceAll(/\bvnc:\/\/(\S*@)?(\S*)/gi, (_, secret: string | undefined, rest: string) =>
    secret === undefined ? 'vnc://REDACTED' : `vnc://:REDACTED@${rest}`,
  );
