/** Runs a script of this folder in a separate process, to be killed without warning. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

export type DoomedParent<Report> = { report: Report; kill: () => void };

/** Resolves with the line of JSON that the script prints when everything is up. */
export async function startDoomedParent<Report>(script: string, ...argv: string[]): Promise<DoomedParent<Report>> {
  const file = path.join(import.meta.dirname, script);
  const parent = spawn(process.execPath, [file, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  return { report: JSON.parse(line) as Report, kill: () => void parent.kill('SIGKILL') };
}

/** A zombie no longer runs: it only waits for its parent. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
