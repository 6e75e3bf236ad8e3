import type { ListResult } from '../../cluster/list-all.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import type { InstallNamespaces, RbacPermission } from '../expected-permissions.ts';
import { type DoctorFinding, toDiagnoses } from '../finding.ts';

const PROGRAMS = ['minifleet-provider', 'minifleet-runners'] as const;

/** Where our programs are; undefined when neither has an account anywhere. */
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

/** One finding for each account and place: what lacks there is given by one command. */
export function checkPermissions(seen: ClusterSnapshot, missing: ListResult<RbacPermission> | undefined): Diagnosis[] {
  const system = installNamespaces(seen)?.system ?? '';
  const { unreadable } = seen.accounts;
  const check = 'rights';
  if (!missing) return toDiagnoses({ check, well: '', unreadable: [unreadable], findings: [NOT_INSTALLED] });
  const lacking = Map.groupBy(missing.items, ({ account, namespace }) => `${account} ${namespace}`);
  const findings = [...lacking.values()].map(rights => findingOf(rights, system));
  return toDiagnoses({
    check,
    well: 'the programs have all they ship with',
    unreadable: [unreadable, missing.unreadable],
    findings,
  });
}

const NOT_INSTALLED: DoctorFinding = {
  what: `no ServiceAccount is called ${PROGRAMS.join(' or ')}`,
  matters: 'nobody works on Macs and runners in this cluster',
  fix: 'helm upgrade --install minifleet charts/minifleet -n minifleet-system --create-namespace',
};

function findingOf(rights: readonly RbacPermission[], system: string): DoctorFinding {
  const [{ account, namespace } = { account: '', namespace: '' }] = rights;
  const words = [...new Set(rights.map(wordsOf))];
  const more = words.length > 3 ? ` and ${words.length - 3} more` : '';
  const place = namespace === '' ? '' : ` in ${namespace}`;
  return {
    what: `${account} may not ${words.slice(0, 3).join(', ')}${more}${place}`,
    matters: 'it fails whenever it gets there, and tries again for ever',
    fix:
      bindingFor(rights[0], system) ??
      'apply the rights of this version: kubectl apply -f config/rbac, or helm upgrade',
  };
}

/** Namespaces of fleets and pools need a RoleBinding each, which no file can know. */
function bindingFor(right: RbacPermission | undefined, system: string): string | undefined {
  if (right?.resource !== 'secrets' && right?.resource !== 'runnerpools') return undefined;
  if (right.namespace === 'kube-system') return undefined;
  const role = right.account === 'minifleet-provider' ? 'minifleet-fleet-credentials' : 'minifleet-runner-pools';
  const account = `--serviceaccount=${system}:${right.account}`;
  return `kubectl create rolebinding ${role} -n ${right.namespace} --clusterrole=${role} ${account}`;
}

function wordsOf({ verb, group, resource, subresource, name }: RbacPermission): string {
  const target = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
  return `${verb} ${target}${name === '' ? '' : ` ${name}`}`;
}
