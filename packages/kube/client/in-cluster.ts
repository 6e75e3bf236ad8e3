import type { CredentialSources } from './credentials.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The identity every Pod has: its projected service-account token, reread as the kubelet rotates it. */
export function inClusterSources(environment: Readonly<Record<string, string | undefined>>): CredentialSources {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new KubeconfigError(
      'not running in a Pod (KUBERNETES_SERVICE_HOST is not set): set KUBECONFIG or pass --kubeconfig',
    );
  }
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    authority: { file: `${ACCOUNT}/ca.crt` },
    token: { file: `${ACCOUNT}/token` },
  };
}
