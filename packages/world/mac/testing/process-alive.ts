import { existsSync, readFileSync } from 'node:fs';

/** Whether a real process runs. One that nobody has collected yet is over as well. */
export const running = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
