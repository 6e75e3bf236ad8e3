import type { ListResult } from '../../cluster/list-all.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import type { InstallNamespaces, RbacPermission } from '../expected-permissions.ts';
import { type DoctorFinding, toDiagnoses } from '../finding.ts';

const PROGRAMS = ['minifleet-provider', 'minifleet-runners'] as const;

/** Finds the namespaces of the installation; undefined if no program has a ServiceAccount. */
export function installNamespaces({
  accounts,
  machines,
  controlPlanes,
  pools,
}: ClusterSnapshot): InstallNamespaces | undefined {
  const account = accounts.items.find(({ metadata }) => PROGRAMS.some(program => program === metadata.name));
  if (!account) return undefined;
  const namespacesOf = (items: readonly { readonly metadata: { readonly namespace?: string } }[]): string[] => [
    ...new Set(items.flatMap(({ metadata }) => metadata.namespace ?? [])),
  ];
  return {
    system: account.metadata.namespace ?? '',
    fleets: namespacesOf([...machines.items, ...controlPlanes.items]),
    pools: namespacesOf(pools.items),
  };
}

/** Returns one finding for each account and namespace, because one command grants all missing permissions there. */
export function checkPermissions(
  snapshot: ClusterSnapshot,
  missing: ListResult<RbacPermission> | undefined,
): Diagnosis[] {
  const system = installNamespaces(snapshot)?.system ?? '';
  const { unreadable } = snapshot.accounts;
  const check = 'permissions';
  if (!missing) return toDiagnoses({ check, ok: '', unreadable: [unreadable], findings: [NOT_INSTALLED] });
  const lacking = Map.groupBy(missing.items, ({ account, namespace }) => `${account} ${namespace}`);
  const findings = [...lacking.values()].map(permissions => findingOf(permissions, system));
  return toDiagnoses({
    check,
    ok: 'all granted',
    unreadable: [unreadable, missing.unreadable],
    findings,
  });
}

const NOT_INSTALLED: DoctorFinding = {
  what: `ServiceAccount ${PROGRAMS.join(' or ')} not found`,
  impact: 'no controller manages Macs and runners in this cluster',
  fix: 'helm upgrade --install minifleet charts/minifleet -n minifleet-system --create-namespace',
};

function findingOf(permissions: readonly RbacPermission[], system: string): DoctorFinding {
  const [{ account, namespace } = { account: '', namespace: '' }] = permissions;
  const descriptions = [...new Set(permissions.map(describePermission))];
  const more = descriptions.length > 3 ? ` and ${descriptions.length - 3} more` : '';
  const place = namespace === '' ? '' : ` in ${namespace}`;
  return {
    what: `${account} is not allowed to ${descriptions.slice(0, 3).join(', ')}${more}${place}`,
    impact: 'every reconcile that needs the permission fails and is retried',
    fix:
      bindingFor(permissions[0], system) ??
      'apply the RBAC of this version: kubectl apply -f config/rbac, or helm upgrade',
  };
}

/** Returns the command for a missing RoleBinding in a fleet or pool namespace. The chart cannot know these namespaces. */
function bindingFor(permission: RbacPermission | undefined, system: string): string | undefined {
  if (permission?.resource !== 'secrets' && permission?.resource !== 'runnerpools') return undefined;
  if (permission.namespace === 'kube-system') return undefined;
  const role = permission.account === 'minifleet-provider' ? 'minifleet-fleet-credentials' : 'minifleet-runner-pools';
  const account = `--serviceaccount=${system}:${permission.account}`;
  return `kubectl create rolebinding ${role} -n ${permission.namespace} --clusterrole=${role} ${account}`;
}

function describePermission({ verb, group, resource, subresource, name }: RbacPermission): string {
  const target = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
  return `${verb} ${target}${name === '' ? '' : ` ${name}`}`;
}
