import type { OldWay } from './old-way.ts';
import { vendorIncidents } from './vendor.ts';

/** Every incident that can be lived through again on a host, at the vendor or at the forge, by its id. */
export const incidents: readonly OldWay[] = [...vendorIncidents].sort((one, other) => one.id.localeCompare(other.id));
