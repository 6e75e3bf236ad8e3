import { type RunnerPool, runnerPool } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import type { RunnerRegistration } from '../runner/registration.ts';
import type { PoolRunner } from '../runner/runner.ts';

export const NOW = Date.UTC(2030, 0, 1);
export const IMAGE = 'registry.example/runner:26';

export const unregistered: RunnerRegistration = {
  id: undefined,
  mintedAt: undefined,
  onlineSince: undefined,
  jobSince: undefined,
  node: undefined,
  image: undefined,
};

export interface PodSaid {
  readonly name?: string;
  readonly image?: string;
  readonly node?: string;
  readonly deletedAt?: number;
  readonly finalizers?: string[];
  readonly status?: NonNullable<Pod['status']>;
}

export const podOf = ({ name = 'a', image = IMAGE, node, deletedAt, finalizers, status }: PodSaid = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'runners',
    creationTimestamp: timestamp(NOW),
    ...(deletedAt === undefined ? {} : { deletionTimestamp: timestamp(deletedAt) }),
    ...(finalizers ? { finalizers } : {}),
  },
  spec: { containers: [{ name: 'runner', image }], ...(node ? { nodeName: node } : {}) },
  ...(status ? { status } : {}),
});

/** One container whose state is this. */
export const statusOf = (
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed',
  state: object,
): NonNullable<Pod['status']> => ({
  phase,
  containerStatuses: [{ name: 'runner', image: IMAGE, imageID: '', ready: false, restartCount: 0, state }],
});

export const runnerOf = (
  state: PoolRunner['state'],
  {
    name = 'a',
    registration = {},
    ...more
  }: Partial<Omit<PoolRunner, 'state' | 'registration'>> & { registration?: Partial<RunnerRegistration> } = {},
): PoolRunner => ({
  ...{ name, state, secret: undefined, stale: false, draining: false, createdAt: NOW },
  pod: podOf({ name }),
  registration: { ...unregistered, ...registration },
  ...more,
});

export const poolOf = (spec: Partial<RunnerPool['spec']> = {}, status?: RunnerPool['status']): RunnerPool => {
  const pool = runnerPool.withDefaults({
    ...structuredClone(runnerPool.example),
    apiVersion: runnerPool.apiVersion,
    kind: 'RunnerPool',
  });
  return { ...pool, spec: { ...pool.spec, image: IMAGE, ...spec }, ...(status ? { status } : {}) };
};
