import { type ExternalControlPlane, names, type RunnerPool } from '@minifleet/api';
import type { ListResult } from '../cluster/list-all.ts';
import type { ProgramDeployment } from '../cluster/resources.ts';

/** Secret that an object references, with its required keys. */
export interface RequiredSecret {
  readonly namespace: string;
  readonly name: string;
  readonly kind: 'vendor' | 'forge' | 'kubeconfig';
  readonly keys: readonly string[];
  /** Object that references the Secret, for messages. */
  readonly by: string;
}

const FORGE_KEYS = ['app-id', 'installation-id', 'private-key'];

interface SecretReferrers {
  readonly programs: ListResult<ProgramDeployment>;
  readonly pools: ListResult<RunnerPool>;
  readonly controlPlanes: ListResult<ExternalControlPlane>;
}

/** Lists every Secret that a program, a RunnerPool or a control plane references. */
export const requiredSecrets = ({ programs, pools, controlPlanes }: SecretReferrers): RequiredSecret[] => [
  ...programs.items.flatMap(ofProgram),
  ...pools.items.flatMap(ofPool),
  ...controlPlanes.items.flatMap(ofControlPlane),
];

function ofProgram({ metadata, spec }: ProgramDeployment): RequiredSecret[] {
  const refs = (spec?.template?.spec?.containers ?? [])
    .flatMap(({ env = [] }) => env)
    .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
  const secrets = Map.groupBy(refs, ({ name = '' }) => name);
  return [...secrets].map(([name, keys]) => ({
    ...{ namespace: metadata.namespace ?? '', name, kind: 'vendor', by: metadata.name },
    keys: keys.map(({ key }) => key),
  }));
}

function ofPool({ metadata, spec }: RunnerPool): RequiredSecret[] {
  if (!spec.forge) return [];
  const by = `RunnerPool ${metadata.namespace}/${metadata.name}`;
  return [{ namespace: metadata.namespace ?? '', name: spec.forge.secretName, kind: 'forge', keys: FORGE_KEYS, by }];
}

function ofControlPlane({ metadata }: ExternalControlPlane): RequiredSecret[] {
  const cluster = metadata.labels?.[names.clusterApi.clusterNameLabel];
  if (cluster === undefined) return [];
  const by = `Cluster ${metadata.namespace}/${cluster}`;
  return [
    { namespace: metadata.namespace ?? '', name: `${cluster}-kubeconfig`, kind: 'kubeconfig', keys: ['value'], by },
  ];
}
