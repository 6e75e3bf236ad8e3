import type { ExternalControlPlane } from '@minifleet/api';
import { type Client, isAlreadyExists, isNotFound, type KubeSecret, keyOf, keyString, secrets } from '@minifleet/kube';
import { MANAGED_BY } from '../credentials/managed-by.ts';

const DESCRIPTION = 'minifleet.dev/description';

/**
 * Ensures the anchor of the tokens of one control plane: an empty Secret in the namespace of their account. A token cannot be revoked itself,
 * but the API server rejects it after the object that it is bound to is deleted.
 */
export async function keepAnchor(client: Client, namespace: string, owner: ExternalControlPlane): Promise<KubeSecret> {
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
