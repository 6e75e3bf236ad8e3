import { fileURLToPath } from 'node:url';
import type { World } from '@minifleet/world';
import type { Kubectl } from '../../kubectl.ts';

export const POOL_EXAMPLE = fileURLToPath(new URL('../../../../docs/examples/first-pool.yaml', import.meta.url));
const NAMESPACE = 'tuist-runners';

/** Creates the runner pool of the example, with the App of the simulated GitHub. */
export async function createPool(kubectl: Kubectl, world: Pick<World, 'githubApp'>): Promise<void> {
  await createAppSecret(kubectl, world, NAMESPACE);
  await kubectl('apply', '-f', POOL_EXAMPLE);
}

/** Creates the Secret of the simulated GitHub App under the name that the examples use. */
export async function createAppSecret(
  kubectl: Kubectl,
  { githubApp }: Pick<World, 'githubApp'>,
  namespace: string,
): Promise<void> {
  const { id, installationId, keyFile } = githubApp;
  const fields = [`--from-literal=app-id=${id}`, `--from-literal=installation-id=${installationId}`];
  const key = `--from-file=private-key=${keyFile}`;
  await kubectl('create', 'secret', 'generic', 'github-app', '-n', namespace, ...fields, key);
}
