import { execFile } from 'node:child_process';
import { type Clock, milliseconds, pause } from '@minifleet/clock';

/** The kernel's own word on what runs, beside Tart's locks and our sockets, which may lie or be gone (facts 2.10). */
export interface HostProcess {
  readonly pid: number;
  /** Its process group. */
  readonly group: number;
  readonly command: string;
}

export function listProcesses(): Promise<HostProcess[]> {
  return new Promise((resolve, reject) => {
    const options = { timeout: 10_000, maxBuffer: 16 * 1024 * 1024 };
    execFile('/bin/ps', ['-axww', '-o', 'pid=,pgid=,command='], options, (error, stdout) => {
      if (error) reject(error);
      else resolve(parseProcesses(stdout));
    });
  });
}

export const parseProcesses = (text: string): HostProcess[] =>
  text.split('\n').flatMap(line => {
    const [, pid, group, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), group: Number(group), command }];
  });

/**
 * Calls of Tart that work on this VM: the name holds a UID, and the program is Tart, or belongs to the group of its
 * `tart run`, for a wrapper is not called Tart until it has become it. Nobody else's process fits.
 */
export const isTartCallOn = (name: string, known?: number) => {
  return ({ group, command }: HostProcess): boolean => {
    const [program = '', ...args] = command.split(' ');
    return args.includes(name) && (group === known || /(^|\/)tart$/.test(program));
  };
};

/** Supervisors of the guest in this folder. */
export const isSupervisorOf = (directory: string) => {
  return ({ command }: HostProcess): boolean => command.endsWith(` supervise ${directory}`);
};

const LOOK_EVERY = milliseconds(100);
const LOOKS = 100;

/** Kills what works on a guest behind our back, and returns when it is gone. */
export async function killProcesses(fits: (process: HostProcess) => boolean, clock: Clock): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const left = (await listProcesses()).filter(fits);
    if (left.length === 0) return;
    for (const { pid } of left) kill(pid);
    await pause(clock, LOOK_EVERY);
  }
  throw new Error('processes that were killed do not end');
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in this moment.
  }
}
