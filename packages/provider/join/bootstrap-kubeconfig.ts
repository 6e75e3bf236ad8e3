import { Secret } from '@minifleet/secret';

export interface JoinTo {
  readonly server: string;
  /** PEM of the authority behind the server's certificate; empty where hosts know it anyway. */
  readonly ca: string;
  /** `<id>.<secret>`. */
  readonly token: string;
}

/** What an agent asks for its certificate with. The same from the same: what lies on a host is compared by its hash. */
export function bootstrapKubeconfig(machine: string, { server, ca, token }: JoinTo): Secret {
  const authority = ca === '' ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fleet', cluster: { server, ...authority } }],
    users: [{ name: 'joining', user: { token } }],
    contexts: [{ name: 'fleet', context: { cluster: 'fleet', user: 'joining' } }],
    'current-context': 'fleet',
  };
  return new Secret(`the bootstrap kubeconfig of ${machine}`, `${JSON.stringify(config, null, 2)}\n`);
}
