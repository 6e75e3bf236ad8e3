import type { FleetSpec } from '@minifleet/host';
import { readChecked } from './read-checked.ts';
import { fleetSchema } from './spec-schema.ts';

/** Reads a fleet file: the part of a spec file under `fleet`, in its own file. */
export const readFleetFile = (file: string): Promise<FleetSpec> => readChecked(file, fleetSchema);
