import type { ExternalControlPlane } from '@minifleet/api';
import { CataloguedError, type Context, type KubeSecret, keyString, secrets } from '@minifleet/kube';
import { textIn } from '../credentials/edit-secret.ts';
import type { ProviderSettings } from '../settings/settings.ts';
import type { KubeconfigState } from './judge-control-plane.ts';
import { claimsIn, judgeMinted, mintKubeconfig, SECRET_KEY, tokenIn } from './mint-kubeconfig.ts';
import type { OwnServer } from './own-server.ts';
import { type KubeconfigProbe, type ProbeKubeconfig, versionOf } from './probe-kubeconfig.ts';

interface KubeconfigScope {
  readonly owner: ExternalControlPlane;
  readonly cluster: string;
}

/** Reads `<cluster>-kubeconfig`, mints it if kubeconfigSource is Minted, and probes it like Cluster API. */
export async function ensureKubeconfig(
  context: Context,
  scope: KubeconfigScope,
  parts: ControlPlaneDeps,
): Promise<KubeconfigState> {
  const key = { namespace: scope.owner.metadata.namespace ?? '', name: `${scope.cluster}-kubeconfig` };
  // Not watched, because a watch needs permission to read all Secrets.
  const secret = await context.client.find(secrets, key);
  if (scope.owner.spec.kubeconfigSource === 'Minted') return ensureMinted(context, { ...scope, secret }, parts);
  const text = secret && textIn(secret, SECRET_KEY);
  if (text === undefined) return { kind: 'missing', secret: keyString(key) };
  return { kind: 'there', answer: await parts.probe(text, keyString(key), context.signal) };
}

interface MintedScope extends KubeconfigScope {
  readonly secret: KubeSecret | undefined;
}

async function ensureMinted(context: Context, scope: MintedScope, parts: ControlPlaneDeps): Promise<KubeconfigState> {
  const { signal } = context;
  const name = `${scope.cluster}-kubeconfig`;
  try {
    const kept = await keep(context, scope, parts);
    const answer = await parts.probe(kept, name, signal);
    // Well-formed but unknown token: its anchor was deleted, its account was recreated, or the token was replaced.
    const revived =
      answer.kind === 'rejected' && !answer.known ? await mint(context, scope, { parts, why: answer.why }) : kept;
    return {
      kind: 'there',
      answer: revived === kept ? answer : await parts.probe(revived, name, signal),
      ...expiryOf(revived),
    };
  } catch (error) {
    if (!(error instanceof CataloguedError)) throw error;
    return { kind: 'not minted', why: error.message, answer: await probeOwnServer(context, error.message) };
  }
}

/** Probes with the own client, because there is no kubeconfig. */
async function probeOwnServer({ client, signal }: Context, why: string): Promise<KubeconfigProbe> {
  const version = await versionOf(client, signal);
  return version === undefined ? { kind: 'unreachable', why } : { kind: 'answered', version };
}

async function keep(context: Context, scope: MintedScope, parts: ControlPlaneDeps): Promise<string> {
  const { serviceAccount } = parts.settings.clusterKubeconfig;
  const verdict = judgeMinted({
    secret: scope.secret,
    cluster: scope.cluster,
    owner: scope.owner.metadata.uid ?? '',
    server: await parts.ownServer(),
    subject: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
    now: context.clock.now(),
  });
  return verdict.kind === 'keep' ? verdict.text : mint(context, scope, { parts, why: verdict.why });
}

async function mint(
  { client, log, events }: Context,
  { owner, cluster, secret }: MintedScope,
  { parts, why }: { readonly parts: ControlPlaneDeps; readonly why: string },
): Promise<string> {
  const server = await parts.ownServer();
  const text = await mintKubeconfig({
    client,
    owner,
    cluster,
    server,
    settings: parts.settings.clusterKubeconfig,
    before: secret,
  });
  log.info({ why }, 'Kubeconfig minted');
  const note = `created ${cluster}-kubeconfig: ${why}`;
  events.record({ regarding: owner, type: 'Normal', reason: 'KubeconfigMinted', action: 'Mint', note });
  return text;
}

function expiryOf(text: string): { readonly expiresAt?: number } {
  const claims = claimsIn(tokenIn(text) ?? '');
  return claims ? { expiresAt: claims.expiresAt } : {};
}

/** Dependencies of the control plane controller. */
export interface ControlPlaneDeps {
  readonly settings: Pick<ProviderSettings, 'namespace' | 'watchFilter' | 'clusterKubeconfig'>;
  /** Read on demand. */
  readonly ownServer: () => Promise<OwnServer>;
  /** API server URL for hosts if no object sets one; undefined in a Pod, because the in-cluster address is not reachable from hosts. */
  readonly server: string | undefined;
  readonly probe: ProbeKubeconfig;
}
