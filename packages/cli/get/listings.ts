import type { KindName } from './kind-names.ts';
import { claims } from './kinds/claims.ts';
import { fleets } from './kinds/fleets.ts';
import { guests } from './kinds/guests.ts';
import { hosts } from './kinds/hosts.ts';
import { runners } from './kinds/runners.ts';
import type { ResourceListing } from './listing.ts';

export const LISTINGS: Readonly<Record<KindName, ResourceListing>> = { claims, fleets, guests, hosts, runners };
