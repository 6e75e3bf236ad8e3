import { NAMESPACE } from '../names.ts';
import type { StoredObject } from './stored-object.ts';

const CREATED = '2026-01-05T10:00:00Z';

/**
 * An object of about 1.5 KB, the size of a Machine: a third of it is managedFields, which a real API server sends with
 * every object and no reconcile reads.
 */
export function newObject(kind: StoredObject['kind'], name: string, number: number): StoredObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `5f0c1d7e-0000-4000-8000-${String(number).padStart(12, '0')}`,
      resourceVersion: '1',
      creationTimestamp: CREATED,
      labels: {
        'app.kubernetes.io/name': 'benchmark',
        'app.kubernetes.io/part-of': 'fleet',
        'topology.kubernetes.io/zone': `zone-${number % 3}`,
      },
      annotations: { 'benchmark.minifleet.dev/number': String(number) },
      managedFields: managedFields(),
    },
    data: Object.fromEntries(
      Array.from({ length: 8 }, (_, field) => [`field-${field}`, `value of field ${field} in ${name} `.repeat(2)]),
    ),
  };
}

/** managedFields of kube-apiserver 1.36 for an object that one program created and another annotated. */
function managedFields(): object[] {
  const owned = Object.fromEntries(Array.from({ length: 8 }, (_, field) => [`f:field-${field}`, {}]));
  const labels = { 'f:app.kubernetes.io/name': {}, 'f:app.kubernetes.io/part-of': {} };
  const entry = (manager: string, fields: object) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: CREATED,
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
  });
  return [
    entry('provisioner', {
      'f:data': { '.': {}, ...owned },
      'f:metadata': { 'f:labels': { '.': {}, ...labels, 'f:topology.kubernetes.io/zone': {} } },
    }),
    entry('benchmark', { 'f:metadata': { 'f:annotations': { '.': {}, 'f:benchmark.minifleet.dev/number': {} } } }),
  ];
}
