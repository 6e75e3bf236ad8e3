import { cleanRun, type KilledAnywhere, killedAnywhere } from '../killed-anywhere.ts';
import { endState } from '../mac-state.ts';
import type { Kill } from './killed-anywhere-page.ts';
import type { Role } from './roles.ts';

/** Kills at every command of one role's plan, in every way unless `how` leaves some out. */
export async function killAnywhere(
  { name, plan, makeHost }: Role,
  how: Pick<KilledAnywhere, 'ways' | 'at'> = {},
): Promise<Kill[]> {
  const rows = await killedAnywhere({ plan, makeHost, endState: ({ mac }) => endState(mac), ...how });
  return rows.map(row => ({ role: name, ...row }));
}

/** `node tart: 5`: how many commands each step of a role's plan takes when nothing goes wrong. */
export async function commandsOf({ name, plan, makeHost }: Role): Promise<string[]> {
  const { steps } = await cleanRun({ plan, makeHost });
  const counts = Map.groupBy(steps, step => step);
  return [...counts].map(([step, commands]) => `${name} ${step}: ${commands.length}`);
}
