import type { OwnServer } from './own-server.ts';

/** What core connects with. JSON, which is YAML: the same from the same, so that a change by hand is seen by comparing. */
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

/** The token in a text of ours; undefined in any other. */
export function tokenIn(text: string): string | undefined {
  try {
    const config = JSON.parse(text) as { users?: readonly { user?: { token?: unknown } }[] };
    const token = config.users?.[0]?.user?.token;
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
