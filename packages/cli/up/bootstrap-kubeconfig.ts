import { randomBytes } from 'node:crypto';
import type { Clock } from '@minifleet/clock';
import { type Client, secrets } from '@minifleet/kube';
import type { LocalCluster } from '@minifleet/local-cluster';

export interface BootstrapOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly cluster: Pick<LocalCluster, 'certificateAuthority'>;
  /** Where a Mac reaches the API server. */
  readonly server: string;
}

const VALID_MILLISECONDS = 3_600_000;

/** A kubeconfig with a bootstrap token of its own, good for one hour and for nothing but to ask for a certificate. */
export async function bootstrapKubeconfig({ client, clock, cluster, server }: BootstrapOptions): Promise<string> {
  const id = randomBytes(3).toString('hex');
  const secret = randomBytes(8).toString('hex');
  await client.create(secrets, {
    metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      expiration: new Date(clock.now() + VALID_MILLISECONDS).toISOString(),
    },
  });
  const authority = Buffer.from(cluster.certificateAuthority).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'joining', user: { token: `${id}.${secret}` } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'joining' } }],
    'current-context': 'local',
  });
}
