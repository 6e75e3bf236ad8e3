import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, isForbidden, type KubeObject, type PolicyRule, PROGRAM_NAMESPACE } from '@minifleet/kube';
import { parseAllDocuments } from 'yaml';
import type { ListResult } from '../cluster/list-all.ts';

const FOLDER = fileURLToPath(new URL('../../../config/rbac', import.meta.url));
const POOLS_NAMESPACE = 'tuist-runners';
/** Bound in each namespace that has fleets. */
const FLEET_ROLE = 'minifleet-fleet-credentials';

/** One permission of a ServiceAccount, as a SubjectAccessReview checks it. */
export interface RbacPermission {
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
}

/** Namespaces of this installation. The files have the names of a manual installation. */
export interface InstallNamespaces {
  /** Namespace of the programs. */
  readonly system: string;
  readonly fleets: readonly string[];
  readonly pools: readonly string[];
}

interface RbacManifest extends KubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

/** Reads config/rbac, which defines the permissions of the programs. The doctor checks that the cluster grants them. */
export async function readRbacManifests(): Promise<RbacManifest[]> {
  const files = (await readdir(FOLDER)).filter(name => name.endsWith('.yaml')).toSorted();
  const texts = await Promise.all(files.map(name => readFile(join(FOLDER, name), 'utf8')));
  return texts.flatMap(text => parseAllDocuments(text).map(document => document.toJS() as RbacManifest));
}

/** Lists every permission of every account in each namespace that needs it. */
export function expectedPermissions(manifests: readonly RbacManifest[], places: InstallNamespaces): RbacPermission[] {
  const bindings = manifests.filter(({ kind }) => kind.endsWith('RoleBinding'));
  return bindings.flatMap(binding =>
    (binding.subjects ?? [])
      .filter(({ kind }) => kind === 'ServiceAccount')
      .flatMap(({ name: account }) =>
        placesOf(binding, places).flatMap(namespace =>
          rulesOf(manifests, binding).flatMap(rule => permissionsOf(rule, { account, namespace })),
        ),
      ),
  );
}

/** Lists the namespaces of a binding. The empty string means cluster-wide. */
function placesOf({ metadata }: RbacManifest, { system, fleets, pools }: InstallNamespaces): string[] {
  if (metadata.namespace === undefined) return [''];
  if (metadata.name === FLEET_ROLE) return [...new Set([system, ...fleets])];
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

function permissionsOf(
  rule: Partial<PolicyRule>,
  who: Pick<RbacPermission, 'account' | 'namespace'>,
): RbacPermission[] {
  const { apiGroups = [], resources = [], resourceNames = [''], verbs = [] } = rule;
  return apiGroups.flatMap(group =>
    resources.flatMap(target => {
      const [resource = '', subresource = ''] = target.split('/');
      return resourceNames.flatMap(name => verbs.map(verb => ({ ...who, verb, group, resource, subresource, name })));
    }),
  );
}

/** Lists the permissions that the ServiceAccounts in the program namespace do not have. */
export async function missingPermissions(
  client: Client,
  permissions: readonly RbacPermission[],
  system: string,
): Promise<ListResult<RbacPermission>> {
  try {
    const answers = await Promise.all(permissions.map(permission => has(client, permission, system)));
    return { items: permissions.filter((_, index) => !answers[index]) };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { items: [], unreadable: 'you are not allowed to create subjectaccessreviews' };
  }
}

async function has(
  client: Client,
  { account, ...resourceAttributes }: RbacPermission,
  system: string,
): Promise<boolean> {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${system}`, 'system:authenticated'];
  const answer = await client.send({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: `system:serviceaccount:${system}:${account}`, groups, resourceAttributes },
    },
  });
  return (JSON.parse(answer) as { status: { allowed: boolean } }).status.allowed;
}
