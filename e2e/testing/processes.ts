import { readdirSync, readFileSync } from 'node:fs';

/** Returns an empty string when the process has ended. */
export function readProcFile(pid: string, file: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

const pids = (): string[] => readdirSync('/proc').filter(entry => /^\d+$/.test(entry));

/** PIDs of other processes whose command line or environment (of agents and guests) contains the folder. */
export const findProcesses = (folder: string): string[] =>
  pids().filter(
    pid =>
      Number(pid) !== process.pid &&
      (readProcFile(pid, 'cmdline').includes(folder) || readProcFile(pid, 'environ').includes(folder)),
  );

/** PIDs of the process and its descendants, unless a process in between has ended. */
export function processTree(root: number): string[] {
  const tree = new Set([`${root}`]);
  const parents = pids().map(pid => [pid, statOf(pid)?.parent] as const);
  for (let known = 0; known < tree.size; ) {
    known = tree.size;
    for (const [pid, parent] of parents) if (parent !== undefined && tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

/** Identity of a process that survives PID reuse. Undefined when it has ended, even as a zombie. */
export function identityOf(pid: string): string | undefined {
  const stat = statOf(pid);
  return stat === undefined || stat.state === 'Z' ? undefined : `${pid} since ${stat.started}`;
}

function statOf(pid: string) {
  const text = readProcFile(pid, 'stat');
  // The name in parentheses may contain any character.
  const [state = '', parent = '', ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' ? undefined : { state, parent, started: rest[17] ?? '' };
}
