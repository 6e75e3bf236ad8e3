import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type KubeObject, type PolicyRule, PROGRAM_NAMESPACE } from '@minifleet/kube';
import { parseAllDocuments } from 'yaml';

const FOLDER = fileURLToPath(new URL('../../../config/rbac', import.meta.url));
const POOLS_NAMESPACE = 'tuist-runners';
/** Bound once in each namespace with fleets. */
const IN_FLEETS = 'minifleet-fleet-credentials';

/** One question to the API server: may this account do that. */
export interface RbacPermission {
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
}

/** Where things are in this cluster; the files have the names of an installation by hand. */
export interface InstallNamespaces {
  /** Of the programs. */
  readonly system: string;
  readonly fleets: readonly string[];
  readonly pools: readonly string[];
}

interface RbacManifest extends KubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

/** What config/rbac gives our programs: the files are the promise, the cluster is asked whether it is kept. */
export async function readRbacManifests(): Promise<RbacManifest[]> {
  const files = (await readdir(FOLDER)).filter(name => name.endsWith('.yaml')).toSorted();
  const texts = await Promise.all(files.map(name => readFile(join(FOLDER, name), 'utf8')));
  return texts.flatMap(text => parseAllDocuments(text).map(document => document.toJS() as RbacManifest));
}

/** Every right of every account, in every place it is needed. */
export function expectedPermissions(manifests: readonly RbacManifest[], places: InstallNamespaces): RbacPermission[] {
  const bindings = manifests.filter(({ kind }) => kind.endsWith('RoleBinding'));
  return bindings.flatMap(binding =>
    (binding.subjects ?? [])
      .filter(({ kind }) => kind === 'ServiceAccount')
      .flatMap(({ name: account }) =>
        placesOf(binding, places).flatMap(namespace =>
          rulesOf(manifests, binding).flatMap(rule => rightsOf(rule, { account, namespace })),
        ),
      ),
  );
}

/** The empty string is the whole cluster. */
function placesOf({ metadata }: RbacManifest, { system, fleets, pools }: InstallNamespaces): string[] {
  if (metadata.namespace === undefined) return [''];
  if (metadata.name === IN_FLEETS) return [...new Set([system, ...fleets])];
  if (metadata.namespace === POOLS_NAMESPACE) return [...pools];
  return [metadata.namespace === PROGRAM_NAMESPACE ? system : metadata.namespace];
}

const rulesOf = (manifests: readonly RbacManifest[], { roleRef, metadata }: RbacManifest): readonly PolicyRule[] =>
  manifests.find(
    ({ kind, metadata: role }) =>
      kind === roleRef?.kind &&
      role.name === roleRef.name &&
      (kind === 'ClusterRole' || role.namespace === metadata.namespace),
  )?.rules ?? [];

function rightsOf(rule: Partial<PolicyRule>, who: Pick<RbacPermission, 'account' | 'namespace'>): RbacPermission[] {
  const { apiGroups = [], resources = [], resourceNames = [''], verbs = [] } = rule;
  return apiGroups.flatMap(group =>
    resources.flatMap(target => {
      const [resource = '', subresource = ''] = target.split('/');
      return resourceNames.flatMap(name => verbs.map(verb => ({ ...who, verb, group, resource, subresource, name })));
    }),
  );
}
