import { readdirSync, readFileSync } from 'node:fs';

/** Empty when it ended while we looked. */
export function ofProcess(pid: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Pids of processes whose command line or environment (that of agents and guests) names the folder; ours is none of them. */
export const processesOf = (folder: string): string[] =>
  readdirSync('/proc').filter(
    entry =>
      /^\d+$/.test(entry) &&
      Number(entry) !== process.pid &&
      (ofProcess(entry, 'cmdline').includes(folder) || ofProcess(entry, 'environ').includes(folder)),
  );
