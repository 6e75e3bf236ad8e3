import { pause, seconds } from '@minifleet/clock';
import { fieldNotes, firewallIncidents, type MacScene, type OldWay, useMac } from '@minifleet/world';
import { STRIKE_IN_VAIN } from '../errors.ts';
import type { Stage } from '../stage.ts';

/** An incident that takes nothing but a Mac. */
export type OldWayOnMac = OldWay<MacScene>;

/** How the operators did it, by its id. */
export function oldWayOf(id: string): OldWayOnMac {
  const found = [...firewallIncidents, ...fieldNotes].find(incident => incident.id === id);
  if (!found) throw new RangeError(`the world knows no ${id} of a Mac alone`);
  return found;
}

/** Does to a running host what the operators once did to theirs. Throws when it does not hurt: what is seen then means nothing. */
export async function doTheOldWay(stage: Stage, incident: OldWayOnMac): Promise<void> {
  const mac = useMac({
    mac: stage.mac(),
    password: stage.mac().options.password,
    // Time passes by itself.
    during: work => work,
    pass: count => pause(stage.clock, seconds(count)),
  });
  requireHurt(stage, incident, await incident.run({ mac: async () => mac }));
}

/** Unless what was said of it is what hurt then. */
export function requireHurt({ name }: Stage, { id, seen }: Pick<OldWayOnMac, 'id' | 'seen'>, said: string): void {
  if (!seen.test(said)) throw STRIKE_IN_VAIN({ incident: id, host: name, said: said.trim() });
}
