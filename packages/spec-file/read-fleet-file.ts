import type { FleetSpec } from '@minifleet/host';
import { readChecked } from './read-checked.ts';
import { fleetSchema } from './spec-schema.ts';

/** Reads what is wanted of every host: the part of a spec file under `fleet`, alone in its file. */
export const readFleetFile = (file: string): Promise<FleetSpec> => readChecked(file, fleetSchema);
