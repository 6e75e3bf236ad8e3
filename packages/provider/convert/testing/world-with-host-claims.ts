import { readFileSync } from 'node:fs';
import { milliseconds } from '@minifleet/clock';
import type { Backup } from '@minifleet/kube/testing';
import type { Server } from '@minifleet/vendors';
import { type FleetWorld, fleetWorld } from '../../program/testing/fleet-world.ts';
import { hostClaims } from '../host-claim.ts';

interface Recording {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly servers: readonly Pick<Server, 'name' | 'state' | 'stateWord'>[];
  readonly objects: Backup;
}

/**
 * Objects that the last version with HostClaims (commit afdc4946) wrote in this simulated fleet until it was killed. Server 1: `a` serves.
 * Server 2 was just returned and is being reinstalled. Server 3 is quarantined after failures. Server 4: `b` never reached its Mac, and the
 * vendor restarts it. Server 5: `c` is being bootstrapped. Server 6 was quarantined by an operator, in epoch 3.
 */
const recording = JSON.parse(
  readFileSync(new URL('objects-with-host-claims.json', import.meta.url), 'utf8'),
) as Recording;

/** The fleet of the recording at the time when its provider was killed. */
export async function worldWithHostClaims(): Promise<FleetWorld> {
  const { servers, objects: backup, time } = recording;
  const world = await fleetWorld({ servers, backup, resources: [hostClaims] });
  await world.clock.advance(milliseconds(time - world.clock.now()));
  return world;
}
