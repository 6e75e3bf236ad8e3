import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Kills what a job left running on purpose (a supervisor that outlives its agent) when its Mac loses power. It is known
 * by its executable and by a path of the Mac's real folder among its words or variables. Without /proc nothing is found.
 */
export function killLeftBehind(executable: string, root: string): void {
  for (const pid of pidsHere()) if (isOf(pid, executable, root)) kill(pid);
}

function pidsHere(): number[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function isOf(pid: number, executable: string, root: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`);
    // A script's executable is its interpreter; the script is among the words.
    if (!readlinkSync(`/proc/${pid}/exe`).startsWith(executable) && !words.includes(executable)) return false;
    return words.includes(`${root}/`) || readFileSync(`/proc/${pid}/environ`).includes(`${root}/`);
  } catch {
    // It ended while we looked, or is none of ours to look at.
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was faster.
  }
}
