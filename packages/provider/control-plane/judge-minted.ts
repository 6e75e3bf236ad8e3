import { names } from '@minifleet/api';
import type { KubeSecret } from '@minifleet/kube';
import { textIn } from '../credentials/edit-secret.ts';
import { kubeconfigText, tokenIn } from './kubeconfig-text.ts';
import type { OwnServer } from './own-server.ts';
import { claimsIn } from './token-claims.ts';

/** Cluster API reads only Secrets of this type with the label of the Cluster. */
export const SECRET_TYPE = 'cluster.x-k8s.io/secret';
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
