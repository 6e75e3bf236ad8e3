import { problem } from '../../schema/problem.ts';
import type { Problem } from '../../server/refusal.ts';
import { isObject, type JsonObject, objectIn, type StoredObject, same, without } from '../../store/json.ts';

/** Defaults of a Pod that Minifleet reads; the real server writes more. */
export function completePod(pod: StoredObject): void {
  if (!isObject(pod['spec'])) return;
  const { spec } = pod as StoredObject & { spec: JsonObject };
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
    serviceAccountName: 'default',
    serviceAccount: spec['serviceAccountName'] ?? 'default',
  });
  for (const container of containersOf(spec)) {
    fill(container, {
      imagePullPolicy: pullPolicy(container['image']),
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    });
  }
}

/** The status in a request to create a Pod is ignored. */
export function preparePod(pod: StoredObject): void {
  pod['status'] = { phase: 'Pending', qosClass: 'BestEffort' };
}

const MUTABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export function validatePod(pod: StoredObject, before?: StoredObject): Problem[] {
  const containers = objectIn(pod, 'spec')['containers'];
  if (!Array.isArray(containers) || containers.length === 0) {
    return [problem('Required', 'spec.containers', 'Required value')];
  }
  if (before && !same(fixedPart(pod), fixedPart(before)))
    return [problem('Forbidden', 'spec', `Forbidden: ${MUTABLE}`)];
  return [];
}

function fixedPart(pod: StoredObject): JsonObject {
  const spec = without(objectIn(pod, 'spec'), 'activeDeadlineSeconds', 'tolerations', 'containers', 'initContainers');
  return { spec, containers: containersOf(objectIn(pod, 'spec')).map(container => without(container, 'image')) };
}

const containersOf = (spec: JsonObject): JsonObject[] =>
  [spec['initContainers'], spec['containers']].flat().filter(isObject);

const pullPolicy = (image: unknown): string =>
  typeof image === 'string' && /:(?!latest$)[^/]+$/.test(image) ? 'IfNotPresent' : 'Always';

function fill(object: JsonObject, defaults: JsonObject): void {
  for (const [field, value] of Object.entries(defaults)) object[field] ??= value;
}
