import { cleanRun, type KilledAnywhere, killedAnywhere } from '../killed-anywhere.ts';
import { endState } from '../mac-state.ts';
import type { PlanKill } from './killed-anywhere-page.ts';
import type { HostRole } from './roles.ts';

/** Kills at every command of one role's plan. `how` selects commands and ways (default: all). */
export async function killAnywhere(
  { name, plan, makeHost }: HostRole,
  how: Pick<KilledAnywhere, 'ways' | 'at'> = {},
): Promise<PlanKill[]> {
  const rows = await killedAnywhere({ plan, makeHost, endState: ({ mac }) => endState(mac), ...how });
  return rows.map(row => ({ role: name, ...row }));
}

/** Number of commands of each step of a role's plan in a run without failures: `node tart: 5`. */
export async function commandsOf({ name, plan, makeHost }: HostRole): Promise<string[]> {
  const { steps } = await cleanRun({ plan, makeHost });
  const counts = Map.groupBy(steps, step => step);
  return [...counts].map(([step, commands]) => `${name} ${step}: ${commands.length}`);
}
