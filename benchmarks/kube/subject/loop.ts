import type { ObjectKey } from '@minifleet/kube';

/** What a reconcile looks at; both clients' ConfigMaps have it. */
export interface CachedObject {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

export type Reconcile = (key: Required<ObjectKey>) => Promise<void>;

/**
 * The loop that is measured, written once with each client: it follows the ConfigMaps of a namespace, reconciles each
 * that changed (never twice at once for one key), and all of them when the settings change.
 */
export interface Loop {
  /** Begins to work; everything there is gets its first reconcile. */
  start(reconcile: Reconcile): Promise<void>;
  /** The object as cached. */
  read(key: Required<ObjectKey>): CachedObject | undefined;
  /** Writes one annotation to the server. */
  annotate(key: Required<ObjectKey>, annotations: Readonly<Record<string, string>>): Promise<void>;
}
