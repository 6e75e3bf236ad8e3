import type { World } from '@minifleet/world';
import type { Kubectl } from './home/kubectl.ts';

/** The App of the world's forge, under the name that the examples give it. */
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
