import type { ObjectKey } from '@minifleet/kube';

/** Fields that a reconcile reads, from the ConfigMap type of either client. */
export interface CachedObject {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

export type Reconcile = (key: Required<ObjectKey>) => Promise<void>;

/**
 * The measured loop, implemented with each client: it watches the ConfigMaps of a namespace, reconciles each
 * that changed (never twice at once for one key), and all of them when the settings change.
 */
export interface Loop {
  /** Starts the loop, which reconciles every existing object. */
  start(reconcile: Reconcile): Promise<void>;
  /** Returns the cached object. */
  read(key: Required<ObjectKey>): CachedObject | undefined;
  /** Writes one annotation to the server. */
  annotate(key: Required<ObjectKey>, annotations: Readonly<Record<string, string>>): Promise<void>;
}
