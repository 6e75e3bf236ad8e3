import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readProcessUsage } from '../agent/host/processes.ts';

export interface TimedCommand {
  readonly name: string;
  readonly argv: readonly [program: string, ...words: string[]];
}

/** Milliseconds. */
export interface CommandRun {
  /** Until the process has ended and all it wrote is read. */
  readonly wall: number;
  /** Of all its threads; what else the machine does hardly shows in it. Counted in tens: only a mean of many tells. */
  readonly processor: number;
}

/** By the command's name. */
export type CommandRuns = ReadonlyMap<string, readonly CommandRun[]>;

/** What the first rounds leave does not count: our code compiled, and what kubectl keeps of the cluster. */
const WARM_UP = 2;

/** In turn: what else the machine does falls on all alike. */
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

async function runOnce({ argv: [program, ...words] }: TimedCommand, env: NodeJS.ProcessEnv): Promise<CommandRun> {
  const [begun, used] = [performance.now(), childrenTime()];
  await promisify(execFile)(program, words, { env });
  return { wall: performance.now() - begun, processor: childrenTime() - used };
}

const childrenTime = (): number =>
  process.platform === 'linux' ? readProcessUsage(process.pid).childrenTime : Number.NaN;
