import { type Client, isForbidden } from '@minifleet/kube';
import type { ListResult } from '../cluster/list-all.ts';
import type { RbacPermission } from './expected-permissions.ts';

/** Those of the rights that the accounts, which are in that namespace, do not have. */
export async function missingPermissions(
  client: Client,
  rights: readonly RbacPermission[],
  system: string,
): Promise<ListResult<RbacPermission>> {
  try {
    const answers = await Promise.all(rights.map(right => has(client, right, system)));
    return { items: rights.filter((_, index) => !answers[index]) };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { items: [], unreadable: 'you may not create subjectaccessreviews' };
  }
}

async function has(
  client: Client,
  { account, ...resourceAttributes }: RbacPermission,
  system: string,
): Promise<boolean> {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${system}`, 'system:authenticated'];
  const answer = await client.send({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: `system:serviceaccount:${system}:${account}`, groups, resourceAttributes },
    },
  });
  return (JSON.parse(answer) as { status: { allowed: boolean } }).status.allowed;
}
