import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TIMES = 5;

/** Shortest of several starts until `--version` is answered, in milliseconds: other load only adds to it. */
export async function startTime(executable: string): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < TIMES; turn++) {
    const before = performance.now();
    await promisify(execFile)(executable, ['--version'], { timeout: 20_000 });
    times.push(performance.now() - before);
  }
  return Math.min(...times);
}
