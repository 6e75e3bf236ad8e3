import { kubeconfigText } from '@minifleet/local-cluster/testing/internals';
import { createCertificateAuthority } from '@minifleet/local-cluster/testing/pki';
import { type Child, startChild } from '../../child/start-child.ts';
import type { StubCalls } from './calls.ts';

export interface StubServer extends Child<StubCalls> {
  readonly kubeconfig: string;
}

/** Starts the stub in a separate process on loopback, with mutual TLS like a real cluster. */
export async function startStubServer(): Promise<StubServer> {
  const child = await startChild<StubCalls>({ file: new URL('./stub-server.ts', import.meta.url) });
  const authority = createCertificateAuthority('benchmark');
  const serving = authority.issue({ commonName: 'stub', usages: ['server'], addresses: ['127.0.0.1'] });
  const { port } = await child.ask('listen', {
    key: serving.privateKey,
    cert: serving.certificate,
    ca: authority.certificate,
  });
  const kubeconfig = kubeconfigText({
    user: 'benchmark',
    server: `https://127.0.0.1:${port}`,
    certificateAuthority: authority.certificate,
    client: authority.issue({ commonName: 'benchmark', usages: ['client'] }),
  });
  return { ...child, kubeconfig };
}
