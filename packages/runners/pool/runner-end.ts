import type { RecordedEnd } from '@minifleet/api';
import type { ObjectKey } from '@minifleet/kube';

/** How one runner ended, as it stands in its pool's status: counted once, whatever dies in between. */
export interface RunnerEnd extends Readonly<RecordedEnd> {
  readonly pool: ObjectKey;
}
