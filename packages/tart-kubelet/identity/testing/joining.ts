/** The cluster's side of a join: a token, the kubeconfig around it, and an approver of serving requests. */
import { eventually } from '@minifleet/clock/testing';
import { type CertificateSigningRequest, type Client, certificateSigningRequests, secrets } from '@minifleet/kube';
import { BOOTSTRAP_GROUP, type LocalCluster } from '@minifleet/local-cluster';

const SECRET = '0123456789abcdef';

export const createBootstrapToken = (admin: Client, id: string): Promise<unknown> =>
  admin.create(secrets, {
    metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': SECRET,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': BOOTSTRAP_GROUP,
    },
  });

/** A bootstrap kubeconfig as a joining host is given it. */
export function bootstrapText({ server, certificateAuthority }: LocalCluster, id: string): string {
  const authority = Buffer.from(certificateAuthority).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token: `${id}.${SECRET}` } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

/** Approves a request, as the provider does after its checks. */
export async function approveServing(admin: Client, nodeName: string, verdict = 'Approved'): Promise<void> {
  const fieldSelector = 'spec.signerName=kubernetes.io/kubelet-serving';
  const request = await eventually(async () => {
    const { items } = await admin.list(certificateSigningRequests, { fieldSelector });
    return items.find(({ spec, status }) => spec.username === `system:node:${nodeName}` && !status?.conditions?.length);
  });
  const condition = { type: verdict, status: 'True', reason: 'Test', message: 'by the test' };
  const answered = { ...request, status: { conditions: [condition] } } as CertificateSigningRequest;
  await admin.update(certificateSigningRequests, answered, { subresource: 'approval' });
}
