import { readdirSync, readFileSync } from 'node:fs';

/** Empty when it ended while we looked. */
export function ofProcess(pid: string, file: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

const pids = (): string[] => readdirSync('/proc').filter(entry => /^\d+$/.test(entry));

/** Pids of processes whose command line or environment (that of agents and guests) names the folder; ours is none of them. */
export const processesOf = (folder: string): string[] =>
  pids().filter(
    pid =>
      Number(pid) !== process.pid &&
      (ofProcess(pid, 'cmdline').includes(folder) || ofProcess(pid, 'environ').includes(folder)),
  );

/** Pids of the process and of all it started, and those started, as far as none in between has ended. */
export function treeOf(root: number): string[] {
  const tree = new Set([`${root}`]);
  const parents = pids().map(pid => [pid, statOf(pid)?.parent] as const);
  for (let known = 0; known < tree.size; ) {
    known = tree.size;
    for (const [pid, parent] of parents) if (parent !== undefined && tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

/** A process for good: its pid may be another's later. Undefined when it has ended, collected or not. */
export function identityOf(pid: string): string | undefined {
  const stat = statOf(pid);
  return stat === undefined || stat.state === 'Z' ? undefined : `${pid} since ${stat.started}`;
}

function statOf(pid: string) {
  const text = ofProcess(pid, 'stat');
  // The name, in parentheses, may hold anything.
  const [state = '', parent = '', ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' ? undefined : { state, parent, started: rest[17] ?? '' };
}
