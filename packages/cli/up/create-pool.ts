import { fileURLToPath } from 'node:url';
import type { World } from '@minifleet/world';
import type { Kubectl } from './kubectl.ts';

const EXAMPLE = fileURLToPath(new URL('../../../docs/examples/first-pool.yaml', import.meta.url));
const NAMESPACE = 'tuist-runners';

/** The pool of the example, with the App of the world's forge. */
export async function createPool(kubectl: Kubectl, { githubApp }: Pick<World, 'githubApp'>): Promise<void> {
  const { id, installationId, keyFile } = githubApp;
  const fields = [`--from-literal=app-id=${id}`, `--from-literal=installation-id=${installationId}`];
  const key = `--from-file=private-key=${keyFile}`;
  await kubectl('create', 'secret', 'generic', 'github-app', '-n', NAMESPACE, ...fields, key);
  await kubectl('apply', '-f', EXAMPLE);
}
