import type { Clock } from '@minifleet/clock';
import type { Client } from '@minifleet/kube';
import type { SyntheticGuests } from '@minifleet/tart-kubelet/testing/guests';

/** Dependencies of both Pod implementations. */
export interface NodeDeps {
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly guests: SyntheticGuests;
  readonly fleet: string;
  readonly slowPullMs: number;
  readonly directory: string;
}

export interface StartedPods {
  readonly synced: boolean;
}
