import { names, type RunnerPool } from '@minifleet/api';
import type { KubeSecret, NewObject, Pod } from '@minifleet/kube';
import { CONFIGURATION_KEY } from './registration.ts';
import { goldenHash } from './runner.ts';

/** Name of the Pod's only volume, under which the agent shares it with the guest. */
const VOLUME = 'runner';

/**
 * Runs in the guest. Passes the configuration from the shared directory to the environment of the runner only, which
 * removes it before a job starts: it is in no argument list, in no environment on the host, and in no log. Without
 * RUNNER_MANUALLY_TRAP_SIG run.sh ends at SIGTERM and leaves the runner and its job behind. The last variable requests
 * exit code 7 instead of 0 for a version that GitHub no longer supports (actions/runner#4285).
 */
const GUEST_SCRIPT = `set -eu
configuration=$(cat '/Volumes/My Shared Files/${VOLUME}/${CONFIGURATION_KEY}')
export ACTIONS_RUNNER_INPUT_JITCONFIG="$configuration"
cd "$HOME/actions-runner"
export RUNNER_MANUALLY_TRAP_SIG=1
export ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE=1
exec ./run.sh --disableupdate
`;

const CONTAINER = 'runner';

/** Pod, Secret and runner share one name. */
export const runnerName = (pool: RunnerPool, random: (bytes: number) => Uint8Array): string =>
  `${pool.metadata.name}-${Buffer.from(random(4)).toString('hex')}`;

/**
 * Registration Secret, empty at first. Secret and Pod have no owner reference: a foreground deletion of the pool, which
 * some tools use, would delete them during jobs. The pool's finalizer ensures that none is left.
 */
export const newSecret = (pool: RunnerPool, name: string): NewObject<KubeSecret> => ({
  metadata: {
    namespace: pool.metadata.namespace ?? '',
    name,
    labels: membership(pool),
    annotations: { [names.annotations.runnerImage]: pool.spec.image },
  },
  type: 'Opaque',
});

/**
 * Its volume requires the key that is not in the Secret yet: the agent waits for it, so the VM starts registered or not
 * at all.
 */
export function newPod(pool: RunnerPool, name: string, shunned: readonly string[] = []): NewObject<Pod> {
  const { spec, metadata } = pool;
  const resources = { cpu: `${spec.podCPUMilli}m`, memory: `${spec.podMemoryMB}Mi`, [names.vmSlotResource]: '1' };
  return {
    metadata: { namespace: metadata.namespace ?? '', name, labels: { ...ownLabels(spec.labels), ...membership(pool) } },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      nodeSelector: {
        'kubernetes.io/os': 'darwin',
        [names.labels.runtime]: names.labelValues.runtimeTart,
        [names.labels.fleet]: spec.fleetSelector,
      },
      tolerations: [{ key: names.taints.macos.key, operator: 'Exists', effect: 'NoSchedule' }],
      affinity: { nodeAffinity: preferring([...awayFrom(shunned), nearImage(spec.image)]) },
      containers: [
        {
          name: CONTAINER,
          image: spec.image,
          command: ['/bin/bash', '-c', GUEST_SCRIPT],
          resources: { requests: resources, limits: resources },
          volumeMounts: [{ name: VOLUME, mountPath: `/${VOLUME}`, readOnly: true }],
        },
      ],
      volumes: [
        { name: VOLUME, secret: { secretName: name, items: [{ key: CONFIGURATION_KEY, path: CONFIGURATION_KEY }] } },
      ],
    },
  };
}

interface NodePreference {
  readonly weight: number;
  readonly expression: { readonly key: string; readonly operator: 'Exists' | 'NotIn'; readonly values?: string[] };
}

/** Preferred, never required: an image is pulled where no Mac has it, and a bad host is better than none. */
const preferring = (preferences: readonly NodePreference[]) => ({
  preferredDuringSchedulingIgnoredDuringExecution: preferences.map(({ weight, expression }) => ({
    weight,
    preference: { matchExpressions: [expression] },
  })),
});

const nearImage = (image: string): NodePreference => ({
  weight: 50,
  expression: { key: `${names.goldenLabelPrefix}${goldenHash(image)}`, operator: 'Exists' },
});

/** Outweighs a present image, because a pull ends. */
const awayFrom = (hosts: readonly string[]): readonly NodePreference[] =>
  hosts.length === 0
    ? []
    : [{ weight: 100, expression: { key: 'kubernetes.io/hostname', operator: 'NotIn', values: [...hosts] } }];

const membership = ({ metadata }: RunnerPool): Record<string, string> => ({
  [names.labels.runner]: 'true',
  [names.labels.runnerPool]: metadata.name,
});

const ownLabels = (labels: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    labels.map(label => {
      const [key = '', value = ''] = label.split('=', 2);
      return [key, value];
    }),
  );
