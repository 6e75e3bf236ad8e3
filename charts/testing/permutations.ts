/** Every choice of fleets with every kind of Secret, and a fleet of owned Macs. */
import { HOMEBREW_INSTALLER_FILE, HOST_FILES } from '@minifleet/spec-file';
import type { Values } from './helm.ts';

export const SOURCES = ['existing', 'plain', 'external'] as const;
export type Source = (typeof SOURCES)[number];

const PEERS = ['macosFleet', 'runnersFleet', 'buildersFleet', 'fleets'] as const;
type Peer = (typeof PEERS)[number];

const app = { 'app-id': '42', 'installation-id': '4242', 'private-key': '-----BEGIN RSA PRIVATE KEY-----\nnone\n' };

/** The only part of the builder section without a default. */
const builder = { homebrewInstaller: `${HOST_FILES}/${HOMEBREW_INSTALLER_FILE}` };

export interface Permutation {
  readonly name: string;
  readonly fleets: readonly Peer[];
  readonly source: Source;
  readonly values: Values;
}

const subsets = <T>(all: readonly T[]): T[][] =>
  all.reduce<T[][]>((sets, one) => sets.flatMap(set => [set, [...set, one]]), [[]]);

/** Values of a fleet of owned Macs: it needs no Secret. */
export const OWNED_MACS: Values = {
  imageRegistry: 'ghcr.io/acme',
  cluster: { controlPlaneEndpoint: { host: 'kube.example.com' } },
  inventory: {
    hosts: [
      { name: 'mini-01', pool: 'desk', address: '192.0.2.11', user: 'admin' },
      {
        name: 'mini-02',
        pool: 'desk',
        address: '192.0.2.12',
        user: 'admin',
        port: 2222,
        type: 'M4',
        os: 'macos-tahoe-26.3',
      },
    ],
  },
  macosFleet: { enabled: true, replicas: 2, pool: 'desk', machine: { kind: 'MacMachine' } },
};

export const PERMUTATIONS: readonly Permutation[] = [
  ...subsets(PEERS).flatMap(fleets =>
    SOURCES.map(source => ({
      name: `${fleets.length > 0 ? fleets.join(', ') : 'no fleet'}, secrets ${source}`,
      fleets,
      source,
      values: valuesWith(fleets, source),
    })),
  ),
  { name: 'macosFleet of owned Macs', fleets: ['macosFleet'], source: 'existing', values: OWNED_MACS },
];

function valuesWith(fleets: readonly Peer[], source: Source): Values {
  const scaleway = { 'access-key': 'SCWXXXXXXXXXXXXXXXXX', 'secret-key': 'none', 'project-id': 'none' };
  return {
    imageRegistry: 'ghcr.io/acme',
    cluster: {
      controlPlaneEndpoint: { host: 'kube.example.com' },
      kubeconfig: { source: source === 'plain' ? 'minted' : source },
    },
    externalSecrets: { store: { name: 'onepassword' } },
    scaleway: { enabled: true, secret: { source, plain: scaleway } },
    macosFleet: { enabled: fleets.includes('macosFleet'), replicas: 2 },
    runnersFleet: {
      enabled: fleets.includes('runnersFleet'),
      autoscaling: { enabled: true, minSize: 1, maxSize: 9 },
      drain: { timeoutSeconds: 21600 },
    },
    ...(fleets.includes('buildersFleet') ? { provider: { hosts: { builder } } } : {}),
    buildersFleet: {
      enabled: fleets.includes('buildersFleet'),
      ghActionsRunner: { ghOrg: 'acme', githubApp: { source, plain: app } },
    },
    fleets: fleets.includes('fleets')
      ? { spare: { replicas: 0, machine: { zone: 'fr-par-3', hostCPU: 8 }, rollout: { strategy: 'RollingUpdate' } } }
      : {},
    runnerPools: {
      account: 'acme',
      githubApp: { source, plain: app },
      pools: fleets.includes('runnersFleet')
        ? {
            'macos-26': { image: 'ghcr.io/acme/runner:26', replicas: 3 },
            'macos-15': { image: 'ghcr.io/acme/runner:15', autoscaling: { enabled: true, maxReplicas: 4 } },
          }
        : {},
    },
    monitoring: { enabled: source === 'external', dashboards: { enabled: true } },
    fleetGate: { enabled: true },
  };
}

/** All values together, for tests of one release. */
export const everythingWith = (source: Source): Values => valuesWith(PEERS, source);
