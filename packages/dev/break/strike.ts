import { machines } from '@minifleet/cli/cluster';
import type { Order } from '../up/running/control-server.ts';
import type { Breakage, Seen } from './breakage.ts';
import { breakages } from './breakages.ts';
import { chooseHost } from './choose-host.ts';
import { INCIDENT_UNKNOWN, POOL_TAKEN } from './errors.ts';
import { lookUntilSeen } from './look-until-seen.ts';
import { recordStrike } from './record-strike.ts';
import { openStage, type Theatre } from './stage.ts';
import { strikeHost } from './strike-host.ts';

export interface StrikeRequest {
  readonly incident: string;
  readonly host?: string | undefined;
  /** Whether to wait until it is seen, and then to tidy up. */
  readonly wait: boolean;
}

export interface MendRequest {
  /** All of them unless said. */
  readonly host?: string | undefined;
}

/** What is told of strikes, a line each. */
export type StrikeLine =
  | { readonly struck: { readonly id: string; readonly host: string; readonly did: string; readonly promise: string } }
  | { readonly seen: Seen; readonly seconds: number }
  | { readonly notSeen: string; readonly seconds: number; readonly instead: string }
  | { readonly mended: { readonly id: string; readonly host: string } }
  | { readonly failed: string };

/** A host that something was done to and that is not as before yet. */
interface Patient {
  readonly breakage: Breakage;
  tidy(): Promise<void>;
}

/** Breaks hosts of a running `up` on order, and mends what no program does. */
export function strikeOrders(
  theatre: Theatre,
  catalogue: readonly Breakage[] = breakages,
): { readonly strike: Order; readonly mend: Order } {
  const patients = new Map<string, Patient>();

  async function strike(given: unknown, tell: (line: StrikeLine) => void): Promise<void> {
    const { incident, host: wanted, wait } = given as StrikeRequest;
    const breakage = catalogue.find(({ id }) => id === incident.toUpperCase());
    if (!breakage) throw INCIDENT_UNKNOWN({ incident });
    const { items } = await theatre.client.list(machines);
    refuseTakenPool(breakage, patients);
    const samm = chooseHost({ breakage, machines: items, wanted, struck: new Set(patients.keys()) });
    const { id, title, promise } = breakage;
    const { name: host } = samm.metadata;
    let patient: Patient = { breakage, tidy: async () => undefined };
    patients.set(host, patient);
    try {
      // Before it is done: what is found afterwards is told after it.
      await recordStrike(theatre, samm, `${id} ${title}`);
      const stage = openStage(theatre, samm);
      const what = await strikeHost(stage, breakage);
      patient = { breakage, tidy: async () => what.tidy?.() };
      patients.set(host, patient);
      tell({ struck: { id, host, did: what.did, promise } });
      const looking = lookUntilSeen(stage, breakage, what).then(async line => {
        // What is only named stays so, for whoever wants to look at it.
        if (wait || ('seen' in line && 'healed' in line.seen)) await discharge(host, patient);
        return line;
      });
      if (wait) tell(await looking);
      else looking.catch(() => undefined); // nobody waits to hear of it
    } catch (error) {
      await discharge(host, patient);
      throw error;
    }
  }

  /** Unless it was mended already: by then somebody may have struck the host again. */
  async function discharge(host: string, patient: Patient): Promise<void> {
    if (patients.get(host) !== patient) return;
    await patient.tidy();
    if (patients.get(host) === patient) patients.delete(host);
  }

  async function mend(given: unknown, tell: (line: StrikeLine) => void): Promise<void> {
    const { host: wanted } = given as MendRequest;
    for (const [host, patient] of [...patients].filter(([host]) => wanted === undefined || host === wanted)) {
      await discharge(host, patient);
      tell({ mended: { id: patient.breakage.id, host } });
    }
  }

  return { strike, mend };
}

/** Both wait until the pool rests: the one would begin anew in that moment, before the other has seen it. */
function refuseTakenPool({ id: incident, needsPool }: Breakage, patients: ReadonlyMap<string, Patient>): void {
  if (!needsPool) return;
  for (const [host, { breakage }] of patients) {
    if (breakage.needsPool) throw POOL_TAKEN({ incident, other: breakage.id, host });
  }
}
