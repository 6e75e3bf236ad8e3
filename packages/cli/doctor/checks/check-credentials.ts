import { X509Certificate } from 'node:crypto';
import { formatDuration, milliseconds, minutes } from '@minifleet/clock';
import { findCondition, type KubeSecret } from '@minifleet/kube';
import { parse } from 'yaml';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';
import { type RequiredSecret, requiredSecrets } from '../required-secrets.ts';

/** Same threshold as the alert KubeconfigExpiring. The provider renews at half the lifetime, so renewal has then failed for hours. */
const SOON = minutes(6 * 60);

const MATTERS: Readonly<Record<RequiredSecret['kind'], string>> = {
  vendor: 'without the vendor API key no host is claimed, restarted or returned',
  forge: 'without the GitHub App no runner registers, and jobs wait',
  kubeconfig: 'without this kubeconfig Cluster API cannot bind Machines to Nodes, drain them or delete them',
};

/** Checks that every required Secret exists, has all keys and does not expire soon. */
export function checkCredentials(snapshot: ClusterSnapshot): Diagnosis[] {
  const required = requiredSecrets(snapshot);
  const judged = required.map(one => judge(one, snapshot));
  return toDiagnoses({
    check: 'credentials',
    ok:
      required.length === 0
        ? 'no Secret is referenced yet'
        : `${counted(required.length, 'Secret')} complete and valid`,
    unreadable: [snapshot.programs, snapshot.pools, snapshot.controlPlanes].map(({ unreadable }) => unreadable),
    unreadableItems: judged.filter(each => typeof each === 'string'),
    findings: [...judged.flatMap(each => (typeof each === 'object' ? [each] : [])), ...refused(snapshot)],
  });
}

function judge(required: RequiredSecret, { secrets, now }: ClusterSnapshot): DoctorFinding | string | undefined {
  const { namespace, name, keys, kind, by } = required;
  const place = `${namespace}/${name}`;
  const secret = secrets.get(place);
  if (secret === 'forbidden') return `you are not allowed to get Secret ${place}`;
  const about = { impact: MATTERS[kind], fix: fixFor(required) };
  if (!secret) return { ...about, what: `Secret ${place} not found (required by ${by})` };
  const empty = keys.filter(key => textIn(secret, key) === '');
  if (empty.length > 0) return { ...about, what: `Secret ${place} has no key ${empty.join(', ')} (required by ${by})` };
  const end = kind === 'kubeconfig' ? credentialExpiry(textIn(secret, 'value')) : undefined;
  if (end === undefined || end - now > SOON) return undefined;
  const ago = formatDuration(milliseconds(Math.abs(end - now)));
  return {
    ...about,
    what: `the credential in Secret ${place} ${end <= now ? `expired ${ago} ago` : `expires in ${ago}`}`,
  };
}

const textIn = ({ data }: KubeSecret, key: string): string =>
  Buffer.from(data?.[key] ?? '', 'base64')
    .toString('utf8')
    .trim();

function fixFor({ kind, namespace, name, keys }: RequiredSecret): string {
  if (kind === 'kubeconfig') {
    return `kubectl delete secret ${name} -n ${namespace} (the provider recreates it); see docs/runbooks/kubeconfig-expiring.md`;
  }
  const files = keys.map(key => ` --from-file=${key}=<file>`).join('');
  return `kubectl create secret generic ${name} -n ${namespace}${files} --dry-run=client -o yaml | kubectl apply -f -`;
}

/** Findings that only GitHub can confirm. The runners controller recorded its answer. */
const refused = ({ pools }: ClusterSnapshot): DoctorFinding[] =>
  pools.items.flatMap(pool => {
    const condition = findCondition(pool, 'ForgeReachable');
    if (condition?.status !== 'False' || !REFUSALS.includes(condition.reason)) return [];
    const place = `${pool.metadata.namespace}/${pool.metadata.name}`;
    const what = `GitHub rejects the App of RunnerPool ${place}: ${condition.message || condition.reason}`;
    return [
      {
        what,
        impact: MATTERS.forge,
        fix: `minifleet explain runnerpool/${pool.metadata.name} -n ${pool.metadata.namespace}`,
      },
    ];
  });

const REFUSALS: readonly string[] = ['ForgeRefused', 'ForgeCredentialsInvalid'];

interface KubeconfigUser {
  readonly token?: string;
  readonly 'client-certificate-data'?: string;
}

/** Returns the expiry of the credentials in a kubeconfig, in milliseconds since 1970; undefined if there is none or it is unknown. */
function credentialExpiry(kubeconfig: string): number | undefined {
  try {
    const { users = [] } = parse(kubeconfig) as { users?: readonly { readonly user?: KubeconfigUser }[] };
    const ends = users.flatMap(({ user = {} }) => [
      endOfToken(user.token),
      endOfCertificate(user['client-certificate-data']),
    ]);
    return ends.filter(end => end !== undefined).toSorted((a, b) => a - b)[0];
  } catch {
    return undefined;
  }
}

/** Reads the expiry from a service account token (JWT). */
function endOfToken(token: string | undefined): number | undefined {
  const payload = token?.split('.')[1];
  if (payload === undefined) return undefined;
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: number };
  return exp === undefined ? undefined : exp * 1_000;
}

const endOfCertificate = (data: string | undefined): number | undefined =>
  data === undefined ? undefined : new X509Certificate(Buffer.from(data, 'base64')).validToDate.getTime();
