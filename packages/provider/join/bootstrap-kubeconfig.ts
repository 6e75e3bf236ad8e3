import { Secret } from '@minifleet/secret';

export interface JoinTo {
  readonly server: string;
  /** CA certificate in PEM; empty if hosts already trust the CA. */
  readonly ca: string;
  /** `<id>.<secret>`. */
  readonly token: string;
}

/** Kubeconfig with which an agent requests its certificate. Deterministic, because the file on a host is compared by hash. */
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
