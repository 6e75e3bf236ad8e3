import { readdirSync, readFileSync } from 'node:fs';

/** Resource usage of a process from the kernel, in bytes and milliseconds. Linux only. */
export interface ProcessUsage {
  readonly rss: number;
  /** Peak of `rss`. */
  readonly peak: number;
  /** Anonymous part of `rss`, which a second process of the same executable would need again. */
  readonly anonymous: number;
  readonly processorTime: number;
  /** CPU time of ended children: the host programs that it ran. */
  readonly childrenTime: number;
  /** Time on the clock that all processes share. */
  readonly startedAt: number;
}

// The kernel counts in units of 10 ms, independent of its tick.
const TICK = 10;
// Fields of /proc/<pid>/stat after the name in parentheses, from 0: see proc(5), whose numbers are 3 higher.
const [UTIME, STIME, CUTIME, CSTIME, STARTED] = [11, 12, 13, 14, 19];

export function readProcessUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (...at: readonly number[]): number => at.reduce((sum, field) => sum + Number(fields[field]), 0) * TICK;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1_024;
  return {
    rss: bytes('VmRSS'),
    peak: bytes('VmHWM'),
    anonymous: bytes('RssAnon'),
    processorTime: ticks(UTIME, STIME),
    childrenTime: ticks(CUTIME, CSTIME),
    startedAt: ticks(STARTED),
  };
}

/** PIDs of processes whose command line contains this text. */
export function findProcesses(text: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => commandLine(name).includes(text))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it has ended
  }
}

/** PID on this machine, which differs from that of the simulated launchd. */
export function findAgentPid({ folder }: { readonly folder: string }): number {
  const [pid] = findProcesses(` --kubeconfig=${folder}/`);
  if (pid === undefined) throw new Error(`no agent runs in ${folder}`);
  return pid;
}
