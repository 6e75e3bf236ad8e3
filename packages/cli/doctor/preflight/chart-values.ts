import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@minifleet/errors';
import { parse } from 'yaml';
import { UsageError } from '../../exit.ts';
import type { Endpoint } from './probe-endpoint.ts';

const DEFAULTS = fileURLToPath(new URL('../../../../charts/minifleet/values.yaml', import.meta.url));

type Values = Readonly<Record<string, unknown>>;

/** Reads the values of the chart, with the given files over the defaults as Helm merges them. */
export async function readChartValues(files: readonly string[]): Promise<ChartValues> {
  const layers = await Promise.all([DEFAULTS, ...files].map(readValues));
  return layers.reduce((below, above) => mergeValues(below, above), {}) as unknown as ChartValues;
}

async function readValues(file: string): Promise<Values> {
  try {
    const values: unknown = parse(await readFile(file, 'utf8'));
    if (values === null) return {};
    if (isMap(values)) return values;
    throw new Error('the file is no map of values');
  } catch (error) {
    throw new UsageError(`values file ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Merges maps. Lists and scalars are replaced, and null removes a default. */
export function mergeValues(below: Values, above: Values): Values {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isMap(before) && isMap(value) ? mergeValues(before, value) : value;
  }
  return merged;
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

interface SecretValues {
  readonly source?: string;
  readonly name?: string;
}

interface ProgramValues {
  readonly enabled?: boolean;
  readonly image: {
    readonly repository: string;
    readonly tag?: string;
    readonly digest?: string;
    readonly pullPolicy?: string;
  };
}

export interface FleetValues {
  readonly enabled?: boolean;
  readonly name?: string;
  readonly ghActionsRunner?: { readonly enabled?: boolean; readonly githubApp?: SecretValues };
}

/** The values that the preflight reads. The chart itself checks the others. */
export interface ChartValues {
  readonly imageRegistry?: string;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly provider: ProgramValues;
  readonly runners: ProgramValues;
  readonly cluster: {
    readonly name?: string;
    readonly controlPlaneEndpoint: { readonly host?: string; readonly port: number };
    readonly kubeconfig: { readonly source?: string };
  };
  readonly scaleway: { readonly enabled?: boolean; readonly secret: SecretValues };
  readonly fleetDefaults: FleetValues;
  readonly macosFleet: FleetValues;
  readonly runnersFleet: FleetValues;
  readonly buildersFleet: FleetValues;
  readonly fleets: Readonly<Record<string, FleetValues>>;
  readonly runnerPools: {
    readonly namespace: string;
    readonly githubApp: SecretValues;
    readonly pools: Readonly<Record<string, unknown>>;
  };
  readonly monitoring: { readonly enabled?: boolean };
}

/** Secret that the release expects from the operator. */
export interface ExpectedSecret {
  readonly namespace: string;
  readonly name: string;
  readonly keys: readonly string[];
  /** Value that names it. */
  readonly by: string;
  /** The chart creates the namespace, so the Secret cannot exist before. */
  readonly inChartNamespace?: boolean;
}

/** Requirements of one release, derived from its values. */
export interface ValueNeeds {
  readonly fleets: readonly string[];
  readonly endpoint: Partial<Endpoint>;
  readonly secrets: readonly ExpectedSecret[];
  readonly externalSecrets: boolean;
  readonly monitoring: boolean;
  /** Images by value path; a name without a registry is one that nobody publishes. */
  readonly images: readonly {
    readonly path: string;
    readonly image: string;
    readonly pinned: boolean;
    readonly unpublished: boolean;
  }[];
}

/** Names follow the templates of the chart for a release named minifleet. */
const RELEASE = 'minifleet';
const APP_KEYS = ['app-id', 'installation-id', 'private-key'];

export function needsOf(values: ChartValues, namespace: string): ValueNeeds {
  const fleets = enabledFleets(values);
  const { scaleway, runnerPools, cluster, monitoring } = values;
  const hasPools = Object.keys(runnerPools.pools).length > 0;
  const apps = fleets.flatMap(({ name, path, fleet }) =>
    fleet.ghActionsRunner?.enabled
      ? [{ app: fleet.ghActionsRunner.githubApp ?? {}, name, by: `${path}.ghActionsRunner` }]
      : [],
  );
  const sources = [
    ...(scaleway.enabled ? [scaleway.secret.source] : []),
    ...(hasPools ? [runnerPools.githubApp.source] : []),
    ...(fleets.length > 0 ? [cluster.kubeconfig.source] : []),
    ...apps.map(({ app }) => app.source),
  ];
  const expected: readonly (ExpectedSecret | undefined)[] = [
    scaleway.enabled && isExisting(scaleway.secret)
      ? {
          ...{ namespace, name: scaleway.secret.name || `${RELEASE}-scaleway`, by: 'scaleway.secret' },
          keys: ['access-key', 'secret-key', 'project-id'],
        }
      : undefined,
    fleets.length > 0 && isExisting(cluster.kubeconfig)
      ? { namespace, name: `${cluster.name || RELEASE}-kubeconfig`, keys: ['value'], by: 'cluster.kubeconfig' }
      : undefined,
    ...apps.map(({ app, name, by }) =>
      isExisting(app) ? { namespace, name: app.name || `${name}-gh-app`, keys: APP_KEYS, by } : undefined,
    ),
    ...(values.imagePullSecrets ?? []).map(({ name = '' }) => ({ namespace, name, keys: [], by: 'imagePullSecrets' })),
    hasPools && isExisting(runnerPools.githubApp)
      ? {
          ...{ namespace: runnerPools.namespace, name: runnerPools.githubApp.name || `${RELEASE}-runners-gh-app` },
          ...{ keys: APP_KEYS, by: 'runnerPools.githubApp', inChartNamespace: runnerPools.namespace !== namespace },
        }
      : undefined,
  ];
  const { host, port } = cluster.controlPlaneEndpoint;
  return {
    fleets: fleets.map(({ path }) => path),
    endpoint: { ...(host ? { host } : {}), port },
    secrets: expected.filter(one => one !== undefined),
    externalSecrets: sources.includes('external'),
    monitoring: monitoring.enabled === true,
    images: (['provider', 'runners'] as const).flatMap(path => imageOf(path, values)),
  };
}

/** `existing` is the default of every Secret but the kubeconfig, whose default is in the chart. */
const isExisting = ({ source = 'existing' }: SecretValues): boolean => source === 'existing';

function enabledFleets(values: ChartValues) {
  const { fleetDefaults, macosFleet, runnersFleet, buildersFleet, fleets } = values;
  const given: readonly (readonly [key: string, path: string, fleet: FleetValues])[] = [
    ['macos-fleet', 'macosFleet', macosFleet],
    ['runners-fleet', 'runnersFleet', runnersFleet],
    ['builders-fleet', 'buildersFleet', buildersFleet],
    ...Object.entries(fleets).map(([key, fleet]) => [key, `fleets.${key}`, { enabled: true, ...fleet }] as const),
  ];
  return given
    .map(([key, path, own]) => ({ key, path, fleet: mergeValues({ ...fleetDefaults }, { ...own }) as FleetValues }))
    .filter(({ fleet }) => fleet.enabled)
    .map(({ key, path, fleet }) => ({ path, fleet, name: fleet.name || `${RELEASE}-${key}` }));
}

function imageOf(path: 'provider' | 'runners', values: ChartValues): ValueNeeds['images'] {
  const { enabled, image } = values[path];
  if (!enabled) return [];
  const registry = values.imageRegistry ? `${values.imageRegistry.replace(/\/$/, '')}/` : '';
  const name = `${registry}${image.repository}`;
  const version = image.digest ? `@${image.digest}` : image.tag ? `:${image.tag}` : '';
  const unpublished = !name.includes('/') && image.pullPolicy !== 'Never';
  return [{ path, image: `${name}${version}`, pinned: Boolean(image.digest), unpublished }];
}
