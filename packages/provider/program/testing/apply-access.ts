import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Client, namespaces, objectPath, PROGRAM_NAMESPACE, serviceAccounts } from '@minifleet/kube';
import { findBinaries, type LocalCluster } from '@minifleet/local-cluster';

/** Gives a cluster the programs' namespace and all of config/rbac, as a person would. */
export async function applyAccess({ kubeconfigs }: LocalCluster, admin: Client): Promise<void> {
  await admin.create(namespaces, { metadata: { name: PROGRAM_NAMESPACE } });
  const { kubectl } = await findBinaries({ programs: ['kubectl'] });
  const folder = new URL('../../../../config/rbac', import.meta.url).pathname;
  await promisify(execFile)(kubectl, ['--kubeconfig', kubeconfigs.admin.path, 'apply', '-f', folder]);
}

/** A token of one of the accounts in that namespace. */
export async function tokenOf(admin: Client, name: string): Promise<string> {
  const answer = await admin.send({
    method: 'POST',
    path: objectPath(serviceAccounts, { namespace: PROGRAM_NAMESPACE, name }, 'token'),
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return (JSON.parse(answer) as { status: { token: string } }).status.token;
}
