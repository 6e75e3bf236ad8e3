import { existsSync, readFileSync } from 'node:fs';

/** Returns true if a real process runs. A zombie does not count. */
export const running = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
