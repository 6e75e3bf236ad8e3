/** metrics-server, for `kubectl top`. It scrapes the kubelet of every Node and is reached through the API server. */
import { type ComponentDefinition, kubeconfigFile, pkiFile } from './component.ts';
import { answersOk } from './readiness.ts';

export const metricsServer: ComponentDefinition = {
  name: 'metrics-server',
  flags(plan) {
    const kubeconfig = kubeconfigFile(plan, 'metrics-server');
    return {
      // Also its client identity for kubelets.
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'bind-address': '127.0.0.1',
      'secure-port': String(plan.ports.metricsServer),
      'tls-cert-file': pkiFile(plan, 'metrics-server.crt'),
      'tls-private-key-file': pkiFile(plan, 'metrics-server.key'),
      'kubelet-certificate-authority': pkiFile(plan, 'cluster-ca.crt'),
      'kubelet-preferred-address-types': 'InternalIP,Hostname',
      'kubelet-use-node-status-port': 'true',
      // Ten seconds is the minimum, and a scrape must end within nine tenths of it. The first figures need two scrapes.
      'metric-resolution': '10s',
      'kubelet-request-timeout': '5s',
      // From this verbosity on it logs which Nodes it leaves out, and why.
      v: '1',
    };
  },
  // Not /readyz, which is false until a Node was scraped: a new cluster has no Node.
  ready: ({ ports, pki }) =>
    answersOk({
      url: `https://127.0.0.1:${ports.metricsServer}/livez`,
      certificateAuthority: pki.authorities.cluster.certificate,
    }),
};
