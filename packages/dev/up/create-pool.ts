import { fileURLToPath } from 'node:url';
import type { World } from '@minifleet/world';
import { createAppSecret } from './create-app-secret.ts';
import type { Kubectl } from './home/kubectl.ts';

export const POOL_EXAMPLE = fileURLToPath(new URL('../../../docs/examples/first-pool.yaml', import.meta.url));
const NAMESPACE = 'tuist-runners';

/** The pool of the example, with the App of the world's forge. */
export async function createPool(kubectl: Kubectl, world: Pick<World, 'githubApp'>): Promise<void> {
  await createAppSecret(kubectl, world, NAMESPACE);
  await kubectl('apply', '-f', POOL_EXAMPLE);
}
