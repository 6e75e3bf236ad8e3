import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Pod } from '@minifleet/kube';
import { type SpecChange, storedPod, theNode } from '../testing/pods-bench.ts';
import { admit, wantsScreen } from './admit.ts';
import {
  containerFields,
  hookFields,
  lifecycleFields,
  mountFields,
  portFields,
  probeFields,
  resourceFields,
  securityFields,
} from './container-fields.ts';
import type { FieldRule } from './field-rule.ts';
import { podFields, podSecurityFields } from './pod-fields.ts';

import { emptyDirFields, projectionFields, variableSourceFields, volumeFields } from './volume-fields.ts';

const models = path.dirname(fileURLToPath(import.meta.resolve('kubernetes-models/v1')));

/** The fields of a type as the model package declares them. */
function declaredFields(type: string): string[] {
  const text = readFileSync(path.join(models, `${type}.d.ts`), 'utf8');
  const body = text.slice(text.indexOf(`export interface I${type} {`));
  return [...body.slice(0, body.indexOf('\n}')).matchAll(/^ {4}"(\w+)"\??:/gm)].map(([, field]) => field ?? '').sort();
}

const tables: Record<string, Readonly<Record<string, FieldRule>>> = {
  PodSpec: podFields,
  PodSecurityContext: podSecurityFields,
  Container: containerFields,
  SecurityContext: securityFields,
  ContainerPort: portFields,
  ResourceRequirements: resourceFields,
  VolumeMount: mountFields,
  Lifecycle: lifecycleFields,
  LifecycleHandler: hookFields,
  Probe: probeFields,
  Volume: volumeFields,
  EmptyDirVolumeSource: emptyDirFields,
  VolumeProjection: projectionFields,
  EnvVarSource: variableSourceFields,
};

for (const [type, rules] of Object.entries(tables)) {
  test(`every field of the v1 ${type} is supported, or ignored or rejected for a reason`, () => {
    const fields = declaredFields(type);
    assert.ok(fields.length > 0);
    assert.deepEqual(Object.keys(rules).sort(), fields);
    for (const [field, rule] of Object.entries(rules)) {
      if (rule.is !== 'supported') assert.ok(rule.because.length > 10, field);
    }
  });
}

const container = (change: SpecChange['container']): SpecChange => ({ container: change ?? {} });
const source = (kind: object): SpecChange => ({ volumes: [{ name: 'v', ...kind }] });

const refusals: readonly (readonly [string, SpecChange, string])[] = [
  ['init containers', { initContainers: [{ name: 'init', image: 'x' }] }, 'InitContainersNotSupported'],
  ['ephemeral containers', { ephemeralContainers: [{ name: 'debug' }] }, 'EphemeralContainersNotSupported'],
  ['hostPID', { hostPID: true }, 'HostPIDNotSupported'],
  ['hostNetwork', { hostNetwork: true }, 'HostNetworkNotSupported'],
  ['another operating system', { os: { name: 'linux' } }, 'OsNotSupported'],
  ['a privileged container', container({ securityContext: { privileged: true } }), 'PrivilegedNotSupported'],
  ['runAsUser', container({ securityContext: { runAsUser: 0 } }), 'RunAsUserNotSupported'],
  ['a hostPort', container({ ports: [{ containerPort: 80, hostPort: 80 }] }), 'HostPortNotSupported'],
  ['a subPath', container({ volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }] }), 'SubPathNotSupported'],
  ['a hostPath volume', source({ hostPath: { path: '/' } }), 'HostPathNotSupported'],
  [
    'a PersistentVolumeClaim',
    source({ persistentVolumeClaim: { claimName: 'a' } }),
    'PersistentVolumeClaimNotSupported',
  ],
  ['an emptyDir in memory', source({ emptyDir: { medium: 'Memory' } }), 'MediumNotSupported'],
  ['a reserved volume name', { volumes: [{ name: 'env', emptyDir: {} }] }, 'NameNotSupported'],
  [
    'status.podIP as a variable, but no process',
    container({ env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] }),
    'FieldRefNotSupported',
  ],
  ['the nodeSelector of another node', { nodeSelector: { 'kubernetes.io/os': 'linux' } }, 'NodeAffinity'],
  ['a CPU request above the allocatable CPU', container({ resources: { requests: { cpu: '9' } } }), 'OutOfcpu'],
  [
    'a memory limit above the allocatable memory',
    container({ resources: { limits: { memory: '17Gi' } } }),
    'OutOfmemory',
  ],
  [
    'an unknown extended resource',
    container({ resources: { limits: { 'example.com/gpu': '1' } } }),
    'OutOfexample.com/gpu',
  ],
];

for (const [what, change, reason] of refusals) {
  test(`admission rejects a Pod with ${what}: ${reason}`, () => {
    assert.equal(admit(storedPod('a', change), theNode, [])?.reason, reason);
  });
}

test('the minifleet.dev/screen annotation accepts only "true" and "false"', () => {
  const asking = (word: string): Pod => {
    const pod = storedPod('a');
    return { ...pod, metadata: { ...pod.metadata, annotations: { 'minifleet.dev/screen': word } } };
  };
  for (const word of ['true', 'false']) {
    assert.equal(admit(asking(word), theNode, []), undefined);
    assert.equal(wantsScreen(asking(word)), word === 'true');
  }
  assert.equal(wantsScreen(storedPod('a')), false);
  for (const word of ['yes', 'True', '']) {
    const refusal = admit(asking(word), theNode, []);
    assert.equal(refusal?.reason, 'ScreenNotSupported');
    assert.match(refusal?.message ?? '', /minifleet\.dev\/screen"\] is not supported: use "true" or "false", not "/);
  }
});

test('admission rejects a Pod with two containers', () => {
  const pod = storedPod('a');
  const two = { ...pod, spec: { containers: [...(pod.spec?.containers ?? []), { name: 'b', image: 'x' }] } };
  assert.equal(admit(two, theNode, [])?.reason, 'ContainersNotSupported');
});

test('admission rejects a Pod with an unknown field', () => {
  const change = { teleport: { to: 'mars' } } as SpecChange;
  assert.equal(admit(storedPod('a', change), theNode, [])?.reason, 'TeleportNotSupported');
});

test('admission accepts the fields that the restricted Pod Security Standard requires', () => {
  const change: SpecChange = {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    container: { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
  };
  assert.equal(admit(storedPod('a', change), theNode, []), undefined);
});

test('admission subtracts the requests of other Pods from the allocatable CPU', () => {
  const half = (name: string): Pod => storedPod(name, container({ resources: { requests: { cpu: '4500m' } } }));
  assert.equal(admit(half('a'), theNode, []), undefined);
  assert.equal(admit(half('a'), theNode, [half('b')])?.reason, 'OutOfcpu');
});

test('admission accepts a Pod that exceeds the VM slots, because it waits for one', () => {
  const change = container({ resources: { limits: { 'minifleet.dev/macos-vm': '3' } } });
  assert.equal(admit(storedPod('a', change), theNode, []), undefined);
});

test('admission enforces required node affinity', () => {
  const term = (operator: string, values?: string[]) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/os', operator, ...(values ? { values } : {}) }] },
        ],
      },
    },
  });
  const reasonFor = (operator: string, values?: string[]): string | undefined =>
    admit(storedPod('a', { affinity: term(operator, values) } as SpecChange), theNode, [])?.reason;
  assert.equal(reasonFor('In', ['darwin']), undefined);
  assert.equal(reasonFor('NotIn', ['darwin']), 'NodeAffinity');
  assert.equal(reasonFor('Exists'), undefined);
  assert.equal(reasonFor('DoesNotExist'), 'NodeAffinity');
});
