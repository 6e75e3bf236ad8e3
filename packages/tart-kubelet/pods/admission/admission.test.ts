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
  test(`every field of the v1 ${type} is supported, ignored for a reason, or refused for one`, () => {
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
  ['the host’s processes', { hostPID: true }, 'HostPIDNotSupported'],
  ['the host’s network', { hostNetwork: true }, 'HostNetworkNotSupported'],
  ['another operating system', { os: { name: 'linux' } }, 'OsNotSupported'],
  ['a privileged container', container({ securityContext: { privileged: true } }), 'PrivilegedNotSupported'],
  ['another user', container({ securityContext: { runAsUser: 0 } }), 'RunAsUserNotSupported'],
  ['a port of the host', container({ ports: [{ containerPort: 80, hostPort: 80 }] }), 'HostPortNotSupported'],
  [
    'a part of a volume',
    container({ volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }] }),
    'SubPathNotSupported',
  ],
  ['files of the host', source({ hostPath: { path: '/' } }), 'HostPathNotSupported'],
  ['a persistent volume', source({ persistentVolumeClaim: { claimName: 'a' } }), 'PersistentVolumeClaimNotSupported'],
  ['a volume in memory', source({ emptyDir: { medium: 'Memory' } }), 'MediumNotSupported'],
  ['a share name that is taken', { volumes: [{ name: 'env', emptyDir: {} }] }, 'NameNotSupported'],
  [
    'its address as a variable, without a process to give it to',
    container({ env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] }),
    'FieldRefNotSupported',
  ],
  ['a node that is not this one', { nodeSelector: { 'kubernetes.io/os': 'linux' } }, 'NodeAffinity'],
  ['more cores than there are', container({ resources: { requests: { cpu: '9' } } }), 'OutOfcpu'],
  ['more memory than there is', container({ resources: { limits: { memory: '17Gi' } } }), 'OutOfmemory'],
  ['a device nobody has', container({ resources: { limits: { 'example.com/gpu': '1' } } }), 'OutOfexample.com/gpu'],
];

for (const [what, change, reason] of refusals) {
  test(`a Pod that asks for ${what} is refused: ${reason}`, () => {
    assert.equal(admit(storedPod('a', change), theNode, [])?.reason, reason);
  });
}

test('a Pod asks for a screen by "true" or "false", and is refused with any other word', () => {
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

test('a Pod with two containers is refused', () => {
  const pod = storedPod('a');
  const two = { ...pod, spec: { containers: [...(pod.spec?.containers ?? []), { name: 'b', image: 'x' }] } };
  assert.equal(admit(two, theNode, [])?.reason, 'ContainersNotSupported');
});

test('a field nobody here has heard of is refused, not ignored', () => {
  const change = { teleport: { to: 'mars' } } as SpecChange;
  assert.equal(admit(storedPod('a', change), theNode, [])?.reason, 'TeleportNotSupported');
});

test('what the restricted Pod security standard demands is taken', () => {
  const change: SpecChange = {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    container: { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
  };
  assert.equal(admit(storedPod('a', change), theNode, []), undefined);
});

test('what other Pods may use is not there any more', () => {
  const half = (name: string): Pod => storedPod(name, container({ resources: { requests: { cpu: '4500m' } } }));
  assert.equal(admit(half('a'), theNode, []), undefined);
  assert.equal(admit(half('a'), theNode, [half('b')])?.reason, 'OutOfcpu');
});

test('a VM slot too many is waited for, not refused', () => {
  const change = container({ resources: { limits: { 'minifleet.dev/macos-vm': '3' } } });
  assert.equal(admit(storedPod('a', change), theNode, []), undefined);
});

test('required node affinity is held to', () => {
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
