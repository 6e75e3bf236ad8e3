/** The controllers of Kubernetes: garbage collection, node life cycle, service accounts, and certificate signing. */
import { type ComponentDefinition, kubeconfigFile, pkiFile } from './component.ts';
import { answersOk } from './readiness.ts';

export const kubeControllerManager: ComponentDefinition = {
  name: 'kube-controller-manager',
  flags(plan) {
    const kubeconfig = kubeconfigFile(plan, 'kube-controller-manager');
    return {
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'bind-address': '127.0.0.1',
      'secure-port': String(plan.ports.controllerManager),
      'tls-cert-file': pkiFile(plan, 'loopback-serving.crt'),
      'tls-private-key-file': pkiFile(plan, 'loopback-serving.key'),
      'leader-elect': 'false',
      // The two controllers for bootstrap tokens are off by default.
      controllers: '*,bootstrapsigner,tokencleaner',
      'use-service-account-credentials': 'true',
      'service-account-private-key-file': pkiFile(plan, 'service-account.key'),
      'root-ca-file': pkiFile(plan, 'cluster-ca.crt'),
      'cluster-signing-cert-file': pkiFile(plan, 'cluster-ca.crt'),
      'cluster-signing-key-file': pkiFile(plan, 'cluster-ca.key'),
      // With the default client rate limit, the start takes four seconds longer.
      'kube-api-qps': '500',
      'kube-api-burst': '500',
      profiling: 'false',
      v: '0',
    };
  },
  ready: ({ ports, pki }) =>
    answersOk({
      url: `https://127.0.0.1:${ports.controllerManager}/healthz`,
      certificateAuthority: pki.authorities.cluster.certificate,
    }),
};
