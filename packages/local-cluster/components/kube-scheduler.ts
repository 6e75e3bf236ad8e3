/** The scheduler with its default configuration. */
import { type ComponentDefinition, kubeconfigFile, pkiFile } from './component.ts';
import { answersOk } from './readiness.ts';

export const kubeScheduler: ComponentDefinition = {
  name: 'kube-scheduler',
  flags(plan) {
    const kubeconfig = kubeconfigFile(plan, 'kube-scheduler');
    return {
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'bind-address': '127.0.0.1',
      'secure-port': String(plan.ports.scheduler),
      'tls-cert-file': pkiFile(plan, 'loopback-serving.crt'),
      'tls-private-key-file': pkiFile(plan, 'loopback-serving.key'),
      'leader-elect': 'false',
      profiling: 'false',
      v: '0',
    };
  },
  ready: ({ ports, pki }) =>
    answersOk({
      url: `https://127.0.0.1:${ports.scheduler}/readyz`,
      certificateAuthority: pki.authorities.cluster.certificate,
    }),
};
