import type { OwnServer } from './own-server.ts';

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
