import { type Clock, seconds } from '@minifleet/clock';
import { isTartCallOn, killProcesses } from './process-table.ts';
import type { Tart } from './tart.ts';

const POWER_CUT = seconds(10);

export interface EnsureStoppedOptions {
  readonly tart: Tart;
  readonly clock: Clock;
  /** The group of its `tart run`, when that is known. */
  readonly group?: number | undefined;
}

/**
 * Returns when nothing of this VM can run any more; throws when that is not certain. Its processes go first, since Tart may
 * hang or not see a lock; then Tart is asked, which also knows a run from elsewhere.
 */
export async function ensureStopped(name: string, options: EnsureStoppedOptions): Promise<void> {
  const { tart, clock, group } = options;
  await killProcesses(isTartCallOn(name, group), clock);
  const running = (await tart.vms()).some(vm => vm.name === name && vm.running);
  if (running) await tart.stop(name, POWER_CUT);
}
