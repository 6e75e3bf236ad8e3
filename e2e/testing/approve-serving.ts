import type { Clock } from '@minifleet/clock';
import {
  type CertificateSigningRequest,
  type Client,
  certificateSigningRequests,
  createInformer,
  silentLog,
} from '@minifleet/kube';

export interface ApproveOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Names of the Nodes whose requests are approved. */
  readonly nodes: readonly string[];
  readonly signal: AbortSignal;
}

const SIGNER = 'kubernetes.io/kubelet-serving';

/** Approves serving certificates of the Nodes until the signal aborts. Kubernetes has no approver for them. */
export async function approveServing({ client, clock, nodes, signal }: ApproveOptions): Promise<void> {
  const users = new Set(nodes.map(name => `system:node:${name}`));
  const informer = createInformer<CertificateSigningRequest>({
    client,
    clock,
    log: silentLog,
    resource: certificateSigningRequests,
    selection: { fieldSelector: `spec.signerName=${SIGNER}` },
  });
  informer.subscribe(change => {
    const { object } = change;
    if (change.type === 'deleted' || !users.has(object.spec.username ?? '') || object.status?.conditions?.length)
      return;
    // The agent repeats a request that is not approved.
    void approve(client, object).catch(() => undefined);
  });
  await informer.run(signal);
}

function approve(client: Client, request: CertificateSigningRequest): Promise<unknown> {
  const condition = { type: 'Approved', status: 'True', reason: 'OwnMac', message: 'a simulated Mac of minifleet up' };
  const answered = { ...request, status: { ...request.status, conditions: [condition] } } as CertificateSigningRequest;
  return client.update(certificateSigningRequests, answered, { subresource: 'approval' });
}
