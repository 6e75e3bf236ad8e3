import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Duration, milliseconds, pause } from '@minifleet/clock';
import { spawnLeashed } from '../spawn-leashed.ts';

export type Step = StepPlace & ({ readonly script: string } | { readonly file: string });

interface StepPlace {
  readonly root: string;
  readonly temp: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How a cancelled step is asked to end, and how long each is given (actions/runner's source). */
const ASKED: readonly (readonly [NodeJS.Signals, Duration])[] = [
  ['SIGINT', milliseconds(7_500)],
  ['SIGTERM', milliseconds(2_500)],
  ['SIGKILL', milliseconds(0)],
];

/** Runs it with `bash -e`, by a `Runner.Worker` that dies with its listener. Its exit code. */
export async function runStep(step: Step): Promise<number> {
  for (const folder of [step.temp, step.workspace]) mkdirSync(folder, { recursive: true });
  const file = 'file' in step ? step.file : join(step.temp, `${randomUUID()}.sh`);
  if ('script' in step) writeFileSync(file, step.script);
  const { environment, workspace: directory, signal } = step;
  if (signal.aborted) return 130;
  const child = spawnLeashed([join(step.root, 'bin/Runner.Worker'), file], { environment, directory });
  child.stdin.end();
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', step.onOutput);
  const ended = new AbortController();
  signal.addEventListener('abort', () => void askToEnd(child.pid ?? 0, step.clock, ended.signal), { once: true });
  return new Promise(resolve => {
    child.once('close', (code, by) => {
      ended.abort();
      resolve(code ?? 128 + constants.signals[by ?? 'SIGKILL']);
    });
  });
}

async function askToEnd(group: number, clock: Clock, ended: AbortSignal): Promise<void> {
  for (const [signal, patience] of ASKED) {
    if (ended.aborted || group <= 1) return;
    try {
      process.kill(-group, signal);
    } catch {
      // Nobody is left in it.
    }
    await pause(clock, patience, ended);
  }
}
