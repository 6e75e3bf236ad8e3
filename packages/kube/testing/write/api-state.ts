import { type Clock, timestamp } from '@minifleet/clock';
import { apiVersionOf } from '../../client/resource.ts';
import type { Author } from '../fields/track-update.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import type { Store } from '../store/store.ts';

import type { Random } from './random-name.ts';

/** State that every verb reads and writes. */
export interface ApiState {
  readonly clock: Clock;
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly random: Random;
}

/** Options of a write, from the query of its request. */
export interface WriteMode {
  readonly manager: string;
  readonly subresource?: string;
  readonly dryRun: boolean;
  readonly strict: boolean;
}

/** Where a write goes. */
export interface Target {
  readonly kind: ServedKind;
  readonly namespace?: string;
  readonly name: string;
}

export const now = (state: ApiState): string => timestamp(state.clock.now());

export const keyOfTarget = ({ namespace, name }: Target): { namespace?: string; name: string } =>
  namespace === undefined ? { name } : { namespace, name };

export const authorOf = (
  state: ApiState,
  kind: ServedKind,
  { manager, subresource, operation }: Pick<WriteMode, 'manager' | 'subresource'> & { operation: 'Apply' | 'Update' },
): Author => ({
  manager: { manager, operation, apiVersion: apiVersionOf(kind.resource), ...(subresource ? { subresource } : {}) },
  time: now(state),
});
