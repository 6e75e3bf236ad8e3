/** Cluster API's core manager with its own admission and conversion webhooks. */
import path from 'node:path';
import { type ClusterPlan, type ComponentDefinition, kubeconfigFile } from './component.ts';

/** The manager requires fixed file names in its own directory. */
export function webhookCertificateDirectory({ directory }: ClusterPlan): string {
  return path.join(directory, 'capi-webhook');
}

export const capiCore: ComponentDefinition = {
  name: 'capi-core',
  flags: plan => ({
    kubeconfig: kubeconfigFile(plan, 'capi-core'),
    'health-addr': `127.0.0.1:${plan.ports.capiHealth}`,
    'diagnostics-address': `127.0.0.1:${plan.ports.capiDiagnostics}`,
    'insecure-diagnostics': 'true',
    // The manager has no flag for the address: its webhooks listen on every interface.
    'webhook-port': String(plan.ports.capiWebhook),
    'webhook-cert-dir': webhookCertificateDirectory(plan),
    v: '0',
  }),
  async ready({ ports }) {
    const answer = await fetch(`http://127.0.0.1:${ports.capiHealth}/readyz`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok;
  },
};
