/** metrics-server: what `kubectl top` asks. It scrapes every Node's kubelet and answers through the API server. */
import { type ComponentDefinition, kubeconfigFile, pkiFile } from './component.ts';
import { answersOk } from './readiness.ts';

export const metricsServer: ComponentDefinition = {
  name: 'metrics-server',
  flags(plan) {
    const kubeconfig = kubeconfigFile(plan, 'metrics-server');
    return {
      // Also who it is to the kubelets.
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
      // Ten seconds is the least it accepts, and a request must end within nine tenths of it. The first figures need two rounds.
      'metric-resolution': '10s',
      'kubelet-request-timeout': '5s',
      // From here on it says whose figures it leaves out, and why.
      v: '1',
    };
  },
  // Not /readyz: that is false until a Node was scraped, and a new cluster has none.
  ready: ({ ports, pki }) =>
    answersOk({
      url: `https://127.0.0.1:${ports.metricsServer}/livez`,
      certificateAuthority: pki.authorities.cluster.certificate,
    }),
};
