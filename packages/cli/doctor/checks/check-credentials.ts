import { formatDuration, milliseconds, minutes } from '@minifleet/clock';
import { findCondition, type Secret } from '@minifleet/kube';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { credentialExpiry } from '../credential-end.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';
import { type RequiredSecret, requiredSecrets } from '../required-secrets.ts';

/** As the alert KubeconfigExpiring: the provider renews it at half its life, so by then it has failed to for hours. */
const SOON = minutes(6 * 60);

const MATTERS: Readonly<Record<RequiredSecret['kind'], string>> = {
  vendor: 'without the vendor’s key no host is claimed, restarted or given back',
  forge: 'without the GitHub App no runner registers, and jobs wait',
  kubeconfig: 'Cluster API reaches the cluster by it: without it no Machine is bound to its Node, drained or deleted',
};

/** Every Secret that something needs is there, complete, and not at its end. */
export function checkCredentials(seen: ClusterSnapshot): Diagnosis[] {
  const wanted = requiredSecrets(seen);
  const judged = wanted.map(one => judge(one, seen));
  return toDiagnoses({
    check: 'credentials',
    well: wanted.length === 0 ? 'none is named yet' : `${counted(wanted.length, 'Secret')} complete and in force`,
    unreadable: [seen.programs, seen.pools, seen.controlPlanes].map(({ unreadable }) => unreadable),
    hidden: judged.filter(each => typeof each === 'string'),
    findings: [...judged.flatMap(each => (typeof each === 'object' ? [each] : [])), ...refused(seen)],
  });
}

function judge(wanted: RequiredSecret, { secrets, now }: ClusterSnapshot): DoctorFinding | string | undefined {
  const { namespace, name, keys, kind, by } = wanted;
  const place = `${namespace}/${name}`;
  const secret = secrets.get(place);
  if (secret === 'forbidden') return `you may not get Secret ${place}`;
  const about = { matters: MATTERS[kind], fix: fixFor(wanted) };
  if (!secret) return { ...about, what: `Secret ${place} does not exist; ${by} needs it` };
  const empty = keys.filter(key => textIn(secret, key) === '');
  if (empty.length > 0) return { ...about, what: `Secret ${place} has no ${empty.join(', ')}; ${by} needs it` };
  const end = kind === 'kubeconfig' ? credentialExpiry(textIn(secret, 'value')) : undefined;
  if (end === undefined || end - now > SOON) return undefined;
  const ago = formatDuration(milliseconds(Math.abs(end - now)));
  return { ...about, what: `the credential in Secret ${place} ${end <= now ? `ended ${ago} ago` : `ends in ${ago}`}` };
}

const textIn = ({ data }: Secret, key: string): string =>
  Buffer.from(data?.[key] ?? '', 'base64')
    .toString('utf8')
    .trim();

function fixFor({ kind, namespace, name, keys }: RequiredSecret): string {
  if (kind === 'kubeconfig') {
    return `kubectl delete secret ${name} -n ${namespace}: the provider makes it anew; see docs/runbooks/kubeconfig-expiring.md`;
  }
  const files = keys.map(key => ` --from-file=${key}=<file>`).join('');
  return `kubectl create secret generic ${name} -n ${namespace}${files} --dry-run=client -o yaml | kubectl apply -f -`;
}

/** What only the forge itself can know: the controller asked it. */
const refused = ({ pools }: ClusterSnapshot): DoctorFinding[] =>
  pools.items.flatMap(pool => {
    const condition = findCondition(pool, 'ForgeReachable');
    if (condition?.status !== 'False' || !REFUSALS.includes(condition.reason)) return [];
    const place = `${pool.metadata.namespace}/${pool.metadata.name}`;
    const what = `GitHub does not take the App of RunnerPool ${place}: ${condition.message || condition.reason}`;
    return [
      {
        what,
        matters: MATTERS.forge,
        fix: `minifleet explain runnerpool/${pool.metadata.name} -n ${pool.metadata.namespace}`,
      },
    ];
  });

const REFUSALS: readonly string[] = ['ForgeRefused', 'ForgeCredentialsInvalid'];
