import { formatDuration, milliseconds, minutes } from '@minifleet/clock';
import { findCondition, type Secret } from '@minifleet/kube';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSeen } from '../cluster-seen.ts';
import { credentialEnd } from '../credential-end.ts';
import { counted, diagnosed, type Finding } from '../finding.ts';
import { type WantedSecret, wantedSecrets } from '../wanted-secrets.ts';

/** As the alert KubeconfigExpiring: the provider renews it at half its life, so by then it has failed to for hours. */
const SOON = minutes(6 * 60);

const MATTERS: Readonly<Record<WantedSecret['kind'], string>> = {
  vendor: 'without the vendor’s key no host is claimed, restarted or given back',
  forge: 'without the GitHub App no runner registers, and jobs wait',
  kubeconfig: 'Cluster API reaches the cluster by it: without it no Machine is bound to its Node, drained or deleted',
};

/** Every Secret that something needs is there, complete, and not at its end. */
export function checkCredentials(seen: ClusterSeen): Diagnosis[] {
  const wanted = wantedSecrets(seen);
  const judged = wanted.map(one => judge(one, seen));
  return diagnosed({
    check: 'credentials',
    well: wanted.length === 0 ? 'none is named yet' : `${counted(wanted.length, 'Secret')} complete and in force`,
    unseen: [seen.programs, seen.pools, seen.controlPlanes].map(({ unseen }) => unseen),
    hidden: judged.filter(each => typeof each === 'string'),
    findings: [...judged.flatMap(each => (typeof each === 'object' ? [each] : [])), ...refused(seen)],
  });
}

function judge(wanted: WantedSecret, { secrets, now }: ClusterSeen): Finding | string | undefined {
  const { namespace, name, keys, kind, by } = wanted;
  const place = `${namespace}/${name}`;
  const secret = secrets.get(place);
  if (secret === 'forbidden') return `you may not get Secret ${place}`;
  const about = { matters: MATTERS[kind], fix: fixFor(wanted) };
  if (!secret) return { ...about, what: `Secret ${place} does not exist; ${by} needs it` };
  const empty = keys.filter(key => textIn(secret, key) === '');
  if (empty.length > 0) return { ...about, what: `Secret ${place} has no ${empty.join(', ')}; ${by} needs it` };
  const end = kind === 'kubeconfig' ? credentialEnd(textIn(secret, 'value')) : undefined;
  if (end === undefined || end - now > SOON) return undefined;
  const ago = formatDuration(milliseconds(Math.abs(end - now)));
  return { ...about, what: `the credential in Secret ${place} ${end <= now ? `ended ${ago} ago` : `ends in ${ago}`}` };
}

const textIn = ({ data }: Secret, key: string): string =>
  Buffer.from(data?.[key] ?? '', 'base64')
    .toString('utf8')
    .trim();

function fixFor({ kind, namespace, name, keys }: WantedSecret): string {
  if (kind === 'kubeconfig') {
    return `kubectl delete secret ${name} -n ${namespace}: the provider makes it anew; see docs/runbooks/kubeconfig-expiring.md`;
  }
  const files = keys.map(key => ` --from-file=${key}=<file>`).join('');
  return `kubectl create secret generic ${name} -n ${namespace}${files} --dry-run=client -o yaml | kubectl apply -f -`;
}

/** What only the forge itself can know: the controller asked it. */
const refused = ({ pools }: ClusterSeen): Finding[] =>
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
