import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import type { Cache, Client, EventRecorder, Log } from '@minifleet/kube';
import type { Claims } from '../claims/claims.ts';
import type { Vendors } from '../claims/vendors.ts';
import type { MachineCredentials } from '../credentials/credentials.ts';
import type { HostWork } from '../host-work/host-work.ts';
import type { Join } from '../join/join.ts';
import type { ProviderSettings } from '../program/settings.ts';
import type { BuilderRunners } from './builder-runners.ts';

/** The effects that phases have, each behind a small interface. */
export interface MachineParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly settings: ProviderSettings;
  readonly vendors: Vendors;
  readonly claims: Claims;
  readonly credentials: MachineCredentials;
  readonly join: Join;
  readonly work: HostWork;
  /** All machines as the watch shows them, with `machineIndexes`. Absent: a fleet is read from the API server whenever it matters. */
  readonly machines?: Pick<Cache<ScalewayAppleSiliconMachine>, 'by'>;
  /** Absent where no forge is set up: then a builder waits and says so. */
  readonly runners?: BuilderRunners;
}
