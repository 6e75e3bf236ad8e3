import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readProcessUsage } from '../agent/host/processes.ts';

export interface TimedCommand {
  readonly name: string;
  readonly argv: readonly [program: string, ...args: string[]];
}

/** Milliseconds. */
export interface CommandRun {
  /** Time until the process has ended and its output is read. */
  readonly wall: number;
  /** CPU time of all threads, nearly independent of other load. Its resolution is 10 ms, so only the mean of many runs is meaningful. */
  readonly processor: number;
}

/** Runs by command name. */
export type CommandRuns = ReadonlyMap<string, readonly CommandRun[]>;

/** Rounds that fill the caches: the compiled code, and kubectl's cache of the cluster. */
const WARM_UP = 2;

/** Runs the commands alternating, so that other load affects all equally. */
export async function timeCommands(
  commands: readonly TimedCommand[],
  { rounds, env }: { readonly rounds: number; readonly env: NodeJS.ProcessEnv },
): Promise<CommandRuns> {
  const runs = new Map<string, CommandRun[]>(commands.map(({ name }) => [name, []]));
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const command of commands) {
      const run = await runOnce(command, env);
      if (round >= 0) runs.get(command.name)?.push(run);
    }
  }
  return runs;
}

async function runOnce({ argv: [program, ...args] }: TimedCommand, env: NodeJS.ProcessEnv): Promise<CommandRun> {
  const [begun, used] = [performance.now(), childrenTime()];
  await promisify(execFile)(program, args, { env });
  return { wall: performance.now() - begun, processor: childrenTime() - used };
}

const childrenTime = (): number =>
  process.platform === 'linux' ? readProcessUsage(process.pid).childrenTime : Number.NaN;
