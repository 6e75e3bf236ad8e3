import type { ExternalControlPlane } from '@minifleet/api';
import { type Client, isAlreadyExists, isNotFound, keyOf, keyString, type Secret, secrets } from '@minifleet/kube';
import { MANAGED_BY } from '../credentials/managed-by.ts';

const DESCRIPTION = 'minifleet.dev/description';

/**
 * What the tokens of one control plane are bound to: an empty Secret beside their account. A token cannot be taken back; but when what
 * it is bound to is gone, the API server refuses it from then on.
 */
export async function keepAnchor(client: Client, namespace: string, owner: ExternalControlPlane): Promise<Secret> {
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

/** Revokes every token that was minted; none is fine. */
export async function removeAnchor(client: Client, namespace: string, owner: ExternalControlPlane): Promise<void> {
  try {
    await client.delete(secrets, anchorKey(namespace, owner));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** A namespace has no dots, so no two control planes share one. */
const anchorKey = (namespace: string, { metadata }: ExternalControlPlane) => ({
  namespace,
  name: `kubeconfig.${metadata.namespace}.${metadata.name}`,
});
