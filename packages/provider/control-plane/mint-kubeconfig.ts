import { type ExternalControlPlane, externalControlPlane, names } from '@minifleet/api';
import { defineError } from '@minifleet/errors';
import {
  type Client,
  deleteExact,
  isAlreadyExists,
  isNotFound,
  type KubeSecret,
  keyOf,
  keyString,
  objectPath,
  secrets,
  serviceAccounts,
} from '@minifleet/kube';
import { encoded, MANAGED_BY, textIn, withApiErrorAs } from '../credentials/edit-secret.ts';
import type { ProviderSettings } from '../settings/settings.ts';
import type { OwnServer } from './own-server.ts';

const KUBECONFIG_NOT_MINTED = defineError('KUBECONFIG_NOT_MINTED', {
  retry: 'backoff',
  reason: 'MintingFailed',
  text: 'ServiceAccount {account}: no token could be created or stored ({why}); apply config/rbac, which creates the account and grants the provider access to it',
});

interface Minting {
  readonly client: Client;
  readonly owner: ExternalControlPlane;
  readonly cluster: string;
  readonly server: OwnServer;
  readonly settings: ProviderSettings['clusterKubeconfig'];
  /** Current Secret. */
  readonly before: KubeSecret | undefined;
}

/** Writes `<cluster>-kubeconfig` with a new token and returns its text. After a crash, the next process repeats it. */
export function mintKubeconfig(minting: Minting): Promise<string> {
  const account = keyString(minting.settings.serviceAccount);
  return withApiErrorAs(KUBECONFIG_NOT_MINTED, { account }, async () => {
    const { client, cluster, server, before } = minting;
    const text = kubeconfigText(cluster, server, await requestToken(minting));
    // The type of a Secret is immutable.
    if (before && before.type !== SECRET_TYPE) await deleteExact(client, secrets, before);
    await write(minting, text);
    return text;
  });
}

async function requestToken({ client, owner, settings }: Minting): Promise<string> {
  const { serviceAccount, life } = settings;
  const { metadata } = await keepAnchor(client, serviceAccount.namespace, owner);
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: metadata.name, uid: metadata.uid };
  const answer = await client.send({
    method: 'POST',
    path: objectPath(serviceAccounts, serviceAccount, 'token'),
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: Math.ceil(life / 1_000), boundObjectRef },
    },
  });
  return (JSON.parse(answer) as { status: { token: string } }).status.token;
}

/** Forced server-side apply: reverts manual changes and keeps fields of other managers. */
async function write({ client, owner, cluster }: Minting, text: string): Promise<void> {
  const { name, namespace = '', uid = '' } = owner.metadata;
  const { kind } = externalControlPlane.resource;
  const secret = {
    metadata: {
      namespace,
      name: `${cluster}-kubeconfig`,
      labels: { ...MANAGED_BY, [names.clusterApi.clusterNameLabel]: cluster },
      ownerReferences: [{ apiVersion: externalControlPlane.apiVersion, kind, name, uid }],
    },
    type: SECRET_TYPE,
    data: encoded({ [SECRET_KEY]: text }),
  };
  await client.apply(secrets, secret, { fieldManager: 'minifleet-provider', force: true });
}

/** Claims of a ServiceAccount token. Not verified here; the API server does that. */
interface TokenClaims {
  /** `system:serviceaccount:<namespace>:<name>`. */
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Undefined for a malformed token and for a token without expiration. */
export function claimsIn(token: string): TokenClaims | undefined {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
    const { sub, iat, exp } = JSON.parse(payload) as { sub?: unknown; iat?: unknown; exp?: unknown };
    if (typeof sub !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return undefined;
    return { subject: sub, issuedAt: iat * 1_000, expiresAt: exp * 1_000 };
  } catch {
    return undefined;
  }
}

/** Kubeconfig of Cluster API. JSON, which is valid YAML and deterministic, so that a comparison detects manual changes. */
export function kubeconfigText(cluster: string, { url, ca }: OwnServer, token: string): string {
  const authority = ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server: url, ...authority } }],
    users: [{ name: USER, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user: USER } }],
    'current-context': cluster,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

const USER = 'capi-remote';

/** Token in a kubeconfig that the provider wrote; undefined for any other text. */
export function tokenIn(text: string): string | undefined {
  try {
    const config = JSON.parse(text) as { users?: readonly { user?: { token?: unknown } }[] };
    const token = config.users?.[0]?.user?.token;
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

const DESCRIPTION = 'minifleet.dev/description';

/**
 * Ensures the anchor of the tokens of one control plane: an empty Secret in the namespace of their account. A token cannot be revoked itself,
 * but the API server rejects it after the object that it is bound to is deleted.
 */
async function keepAnchor(client: Client, namespace: string, owner: ExternalControlPlane): Promise<KubeSecret> {
  const key = anchorKey(namespace, owner);
  const there = await client.find(secrets, key);
  if (there) return there;
  const description = `Tokens for ${keyString(keyOf(owner))} are bound to this Secret. Delete it to revoke them; the provider then issues new ones.`;
  try {
    const metadata = { ...key, labels: MANAGED_BY, annotations: { [DESCRIPTION]: description } };
    return await client.create(secrets, { metadata, type: 'Opaque' });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get(secrets, key);
  }
}

/** Revokes all minted tokens; a missing anchor is fine. */
export async function removeAnchor(client: Client, namespace: string, owner: ExternalControlPlane): Promise<void> {
  try {
    await client.delete(secrets, anchorKey(namespace, owner));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Unique, because a namespace contains no dots. */
const anchorKey = (namespace: string, { metadata }: ExternalControlPlane) => ({
  namespace,
  name: `kubeconfig.${metadata.namespace}.${metadata.name}`,
});

/** Cluster API reads only Secrets of this type with the label of the Cluster. */
const SECRET_TYPE = 'cluster.x-k8s.io/secret';
export const SECRET_KEY = 'value';

interface MintedView {
  readonly secret: KubeSecret | undefined;
  readonly cluster: string;
  /** UID of the control plane, which owns the Secret. */
  readonly owner: string;
  readonly server: OwnServer;
  /** `system:serviceaccount:<namespace>:<name>`. */
  readonly subject: string;
  readonly now: number;
}

type MintDecision =
  | { readonly kind: 'keep'; readonly text: string; readonly expiresAt: number }
  | { readonly kind: 'mint'; readonly why: string };

/** Decides if `<cluster>-kubeconfig` is up to date, with at least half of its token lifetime left. */
export function judgeMinted(view: MintedView): MintDecision {
  const { secret, cluster, owner, server, subject, now } = view;
  if (!secret) return mint('the Secret does not exist');
  const { labels, ownerReferences } = secret.metadata;
  if (secret.type !== SECRET_TYPE) return mint(`the type of the Secret is ${secret.type ?? 'missing'}`);
  if (labels?.[names.clusterApi.clusterNameLabel] !== cluster)
    return mint('the label of the Secret does not name the Cluster');
  if (!ownerReferences?.some(({ uid }) => uid === owner)) return mint('the control plane does not own the Secret');
  const text = textIn(secret, SECRET_KEY) ?? '';
  const token = tokenIn(text);
  if (token === undefined || text !== kubeconfigText(cluster, server, token))
    return mint('the content of the Secret differs');
  const claims = claimsIn(token);
  if (claims?.subject !== subject) return mint('the token belongs to another ServiceAccount');
  const { issuedAt, expiresAt } = claims;
  if (now >= issuedAt + (expiresAt - issuedAt) / 2) return mint('half of the token lifetime is over');
  return { kind: 'keep', text, expiresAt };
}

const mint = (why: string): MintDecision => ({ kind: 'mint', why });
