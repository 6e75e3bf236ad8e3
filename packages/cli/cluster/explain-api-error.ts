import {
  ApiError,
  type Client,
  ConnectionError,
  customResourceDefinitions,
  isForbidden,
  isNotFound,
} from '@minifleet/kube/client';
import {
  CLUSTER_API_MISSING,
  CLUSTER_UNREACHABLE,
  CRDS_MISSING,
  CRDS_NEWER,
  CREDENTIALS_REFUSED,
  PERMISSION_DENIED,
} from './errors.ts';
import { macHosts, machines, macMachines, runnerPools } from './resources.ts';

const CLUSTER_API = 'machines.cluster.x-k8s.io';

/** Translates an API error into an error that names the next command. Returns any other error unchanged. */
export async function explainApiError(error: unknown, client: Client, kubeconfig: string): Promise<unknown> {
  const cause = { cause: error };
  if (error instanceof ConnectionError) return CLUSTER_UNREACHABLE({ kubeconfig, why: error.message }, cause);
  if (error instanceof ApiError && error.code === 401) return CREDENTIALS_REFUSED({ kubeconfig }, cause);
  if (isForbidden(error)) return PERMISSION_DENIED({ why: (error as ApiError).status.message ?? 'refused' }, cause);
  return isNotFound(error) ? ((await missingCrds(client, cause)) ?? error) : error;
}

/** Checks the CRDs: the API server answers 404 both for a missing CRD and for a missing object. */
async function missingCrds(client: Client, cause: { readonly cause: unknown }): Promise<Error | undefined> {
  try {
    if (!(await client.find(customResourceDefinitions, { name: CLUSTER_API }))) return CLUSTER_API_MISSING({}, cause);
    const served = await Promise.all(
      [machines, macMachines, macHosts, runnerPools].map(resource => servedVersions(client, resource)),
    );
    const missing = served.flatMap(each => (each.versions === undefined ? [each.name] : []));
    if (missing.length > 0) return CRDS_MISSING({ crds: missing.join(', ') }, cause);
    const newer = served.find(({ version, versions = [] }) => !versions.includes(version));
    return newer && CRDS_NEWER({ crd: newer.name, versions: newer.versions?.join(', ') ?? '' }, cause);
  } catch {
    return undefined; // without permission to read CRDs the original error is reported
  }
}

/** Lists the versions of a resource that the cluster serves; undefined if it has no such CRD. */
async function servedVersions(
  client: Client,
  { plural, group, version }: { plural: string; group: string; version: string },
) {
  const name = `${plural}.${group}`;
  const found = await client.find(customResourceDefinitions, { name });
  const versions = found?.spec?.versions.filter(({ served }) => served).map(each => each.name);
  return { name, version, versions };
}
