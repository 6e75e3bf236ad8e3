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
  CREDENTIALS_REFUSED,
  KINDS_MISSING,
  KINDS_NEWER,
  RIGHTS_MISSING,
} from './errors.ts';
import { hostClaims, machines, runnerPools } from './resources.ts';

const CLUSTER_API = 'machines.cluster.x-k8s.io';

/** What a failure of the API server comes to, with the next command; the error itself where there is no better word for it. */
export async function explainApiError(error: unknown, client: Client, kubeconfig: string): Promise<unknown> {
  const cause = { cause: error };
  if (error instanceof ConnectionError) return CLUSTER_UNREACHABLE({ kubeconfig, why: error.message }, cause);
  if (error instanceof ApiError && error.code === 401) return CREDENTIALS_REFUSED({ kubeconfig }, cause);
  if (isForbidden(error)) return RIGHTS_MISSING({ why: (error as ApiError).status.message ?? 'refused' }, cause);
  return isNotFound(error) ? ((await whatIsMissing(client, cause)) ?? error) : error;
}

/** A path nobody serves and an object that is not there look the same: the definitions tell which it was. */
async function whatIsMissing(client: Client, cause: { readonly cause: unknown }): Promise<Error | undefined> {
  try {
    if (!(await client.find(customResourceDefinitions, { name: CLUSTER_API }))) return CLUSTER_API_MISSING({}, cause);
    const served = await Promise.all([machines, hostClaims, runnerPools].map(resource => standing(client, resource)));
    const missing = served.flatMap(each => (each.versions === undefined ? [each.name] : []));
    if (missing.length > 0) return KINDS_MISSING({ kinds: missing.join(', ') }, cause);
    const newer = served.find(({ version, versions = [] }) => !versions.includes(version));
    return newer && KINDS_NEWER({ kind: newer.name, versions: newer.versions?.join(', ') ?? '' }, cause);
  } catch {
    return undefined; // who may not read definitions hears the server's own words
  }
}

/** Which versions of a kind of ours the cluster serves; undefined when it does not have it at all. */
async function standing(
  client: Client,
  { plural, group, version }: { plural: string; group: string; version: string },
) {
  const name = `${plural}.${group}`;
  const found = await client.find(customResourceDefinitions, { name });
  const versions = found?.spec?.versions.filter(({ served }) => served).map(each => each.name);
  return { name, version, versions };
}
