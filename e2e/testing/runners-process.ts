import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, secrets } from '@minifleet/kube';
import type { LocalCluster } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';
import { type ProgramProcess, startProgram } from './program-process.ts';

export interface RunnersOptions {
  readonly root: string;
  readonly kubeconfig: string;
  /** Namespace of the pools. */
  readonly namespace: string;
  readonly world: { readonly github: Pick<World['github'], 'url'> };
  readonly flags?: readonly string[];
}

/** Starts the runners program with the simulated GitHub. */
export const startRunners = ({ root, kubeconfig, namespace, world, flags = [] }: RunnersOptions): ProgramProcess =>
  startProgram({
    root,
    main: 'packages/runners/main.ts',
    flags: [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, `--forge-api-url=${world.github.url}`, ...flags],
  });

/** Writes a kubeconfig with the token of a ServiceAccount. */
export async function writeKubeconfig(
  token: string,
  { server, certificateAuthority, directory }: LocalCluster,
): Promise<string> {
  const path = join(directory, 'runners.kubeconfig');
  const authority = Buffer.from(certificateAuthority).toString('base64');
  const text = JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'local' },
    clusters: [{ name: 'local', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'runners', user: { token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'runners' } }],
  });
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** Creates the Secret of the simulated GitHub App, for `spec.forge.secretName` of a pool. */
export async function createGithubAppSecret(
  admin: Client,
  key: { readonly namespace: string; readonly name: string },
  { githubApp }: Pick<World, 'githubApp'>,
): Promise<void> {
  await admin.create(secrets, {
    metadata: key,
    stringData: {
      'app-id': String(githubApp.id),
      'installation-id': String(githubApp.installationId),
      'private-key': await readFile(githubApp.keyFile, 'utf8'),
    },
  });
}
