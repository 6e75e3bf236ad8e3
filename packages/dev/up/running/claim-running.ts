import type { CliContext } from '@minifleet/cli';
import { ALREADY_UP } from '../errors.ts';
import { findRunning } from './find-running.ts';
import { type Running, writeRunning } from './running-file.ts';

/** Refuses when another is up. */
export async function refuseSecond(around: Pick<CliContext, 'stateDirectory'>): Promise<void> {
  const before = await findRunning(around);
  if (before) throw ALREADY_UP({ pid: before.pid, kubeconfig: before.kubeconfig });
}

/** Writes down that we are up. Two may have started before either could: the later one is refused here. */
export async function claimRunning(around: Pick<CliContext, 'stateDirectory'>, running: Running): Promise<void> {
  while (!(await writeRunning(around.stateDirectory, running))) await refuseSecond(around);
}
