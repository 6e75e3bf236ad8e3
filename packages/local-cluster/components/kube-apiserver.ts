/** The API server with the authorization, admission and authentication of a real cluster, so that nodes have the same permissions. */
import { SERVICE_NETWORK } from '../pki/cluster-pki.ts';
import { type ClusterPlan, type ComponentDefinition, type Flags, pkiFile, serverUrl } from './component.ts';
import { answersOk } from './readiness.ts';

export const kubeApiserver: ComponentDefinition = {
  name: 'kube-apiserver',
  flags: plan => ({
    ...serving(plan),
    ...store(plan),
    ...authentication(plan),
    ...authorization(plan),
    ...kubelet(plan),
  }),
  ready: plan =>
    answersOk({
      url: `${serverUrl(plan)}/readyz`,
      certificateAuthority: plan.pki.authorities.cluster.certificate,
      client: plan.pki.identities.admin,
    }),
};

function serving(plan: ClusterPlan): Flags {
  const outside = plan.serverAddresses.length > 0;
  return {
    'bind-address': outside ? '0.0.0.0' : '127.0.0.1',
    'advertise-address': plan.serverAddresses[0] ?? '127.0.0.1',
    'secure-port': String(plan.ports.apiserver),
    'tls-cert-file': pkiFile(plan, 'apiserver.crt'),
    'tls-private-key-file': pkiFile(plan, 'apiserver.key'),
    'service-cluster-ip-range': SERVICE_NETWORK,
    // Endpoints may not be loopback addresses, and nothing routes to Services here.
    'endpoint-reconciler-type': 'none',
    profiling: 'false',
    v: '0',
  };
}

function store(plan: ClusterPlan): Flags {
  return {
    'etcd-servers': `https://127.0.0.1:${plan.ports.etcd}`,
    'etcd-cafile': pkiFile(plan, 'etcd-ca.crt'),
    'etcd-certfile': pkiFile(plan, 'apiserver-etcd-client.crt'),
    'etcd-keyfile': pkiFile(plan, 'apiserver-etcd-client.key'),
  };
}

function authentication(plan: ClusterPlan): Flags {
  return {
    'client-ca-file': pkiFile(plan, 'cluster-ca.crt'),
    'enable-bootstrap-token-auth': 'true',
    'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
    'service-account-key-file': pkiFile(plan, 'service-account.pub'),
    'service-account-signing-key-file': pkiFile(plan, 'service-account.key'),
    'requestheader-client-ca-file': pkiFile(plan, 'front-proxy-ca.crt'),
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'proxy-client-cert-file': pkiFile(plan, 'front-proxy-client.crt'),
    'proxy-client-key-file': pkiFile(plan, 'front-proxy-client.key'),
    // Not `enable-aggregator-routing`: it takes an aggregated API's address from endpoints only, and those may not be on loopback.
  };
}

function authorization(plan: ClusterPlan): Flags {
  const flags = { 'authorization-mode': 'Node,RBAC', 'enable-admission-plugins': 'NodeRestriction' };
  // Without a controller manager, no default service account is created, and Pods would wait for it forever.
  if (plan.components.includes('kube-controller-manager')) return flags;
  return { ...flags, 'disable-admission-plugins': 'ServiceAccount' };
}

function kubelet(plan: ClusterPlan): Flags {
  return {
    'allow-privileged': 'true',
    'kubelet-client-certificate': pkiFile(plan, 'apiserver-kubelet-client.crt'),
    'kubelet-client-key': pkiFile(plan, 'apiserver-kubelet-client.key'),
    'kubelet-certificate-authority': pkiFile(plan, 'cluster-ca.crt'),
    'kubelet-preferred-address-types': 'InternalIP,Hostname',
  };
}
