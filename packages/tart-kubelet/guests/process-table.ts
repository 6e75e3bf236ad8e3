import { execFile } from 'node:child_process';
import { type Clock, milliseconds, pause } from '@minifleet/clock';

/**
 * A process from the kernel's process table, which stays correct if Tart's locks or the supervisor sockets are wrong or
 * gone (facts 2.10).
 */
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
 * Matches Tart calls on this VM: the name, which contains a UID, is an argument, and the program is Tart or belongs to
 * the group of its `tart run`, because a wrapper has another name until it executes Tart. No foreign process matches.
 */
export const isTartCallOn = (name: string, known?: number) => {
  return ({ group, command }: HostProcess): boolean => {
    const [program = '', ...args] = command.split(' ');
    return args.includes(name) && (group === known || /(^|\/)tart$/.test(program));
  };
};

/** Matches supervisors of the guest in this folder. */
export const isSupervisorOf = (directory: string) => {
  return ({ command }: HostProcess): boolean => command.endsWith(` supervise ${directory}`);
};

const CHECK_INTERVAL = milliseconds(100);
const MAX_CHECKS = 100;

/** Kills the matching processes and returns when they are gone. */
export async function killProcesses(fits: (process: HostProcess) => boolean, clock: Clock): Promise<void> {
  for (let check = 0; check < MAX_CHECKS; check++) {
    const left = (await listProcesses()).filter(fits);
    if (left.length === 0) return;
    for (const { pid } of left) kill(pid);
    await pause(clock, CHECK_INTERVAL);
  }
  throw new Error('killed processes are still running');
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process ended on its own.
  }
}
