/** etcd. Only clients with an etcd certificate may connect, because etcd would otherwise bypass the authorization of the API server. */
import path from 'node:path';
import { type ComponentDefinition, pkiFile } from './component.ts';
import { answersOk } from './readiness.ts';

export const etcd: ComponentDefinition = {
  name: 'etcd',
  flags(plan) {
    const client = `https://127.0.0.1:${plan.ports.etcd}`;
    const peer = `https://127.0.0.1:${plan.ports.etcdPeer}`;
    return {
      name: 'local',
      'data-dir': path.join(plan.directory, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `local=${peer}`,
      'client-cert-auth': 'true',
      'trusted-ca-file': pkiFile(plan, 'etcd-ca.crt'),
      'cert-file': pkiFile(plan, 'etcd.crt'),
      'key-file': pkiFile(plan, 'etcd.key'),
      'peer-client-cert-auth': 'true',
      'peer-trusted-ca-file': pkiFile(plan, 'etcd-ca.crt'),
      'peer-cert-file': pkiFile(plan, 'etcd.crt'),
      'peer-key-file': pkiFile(plan, 'etcd.key'),
      // The data does not outlive the cluster, so it need not survive a power failure. A killed process still loses nothing.
      'unsafe-no-fsync': 'true',
      'log-level': 'warn',
    };
  },
  ready: ({ ports, pki }) =>
    answersOk({
      url: `https://127.0.0.1:${ports.etcd}/health`,
      certificateAuthority: pki.authorities.etcd.certificate,
      client: pki.identities['apiserver-etcd-client'],
    }),
};
