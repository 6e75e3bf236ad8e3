import type { StoredObject } from '../../store/json.ts';

/** The finalizer keeps a deleted namespace until its contents are gone. */
export function prepareNamespace(namespace: StoredObject): void {
  namespace.metadata.labels = { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name };
  namespace['spec'] = { finalizers: ['kubernetes'] };
  namespace['status'] = { phase: 'Active' };
}
