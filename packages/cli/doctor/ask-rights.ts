import { type Client, isForbidden } from '@minifleet/kube';
import type { Reading } from '../cluster/reading.ts';
import type { Right } from './wanted-access.ts';

/** Those of the rights that the accounts, which are in that namespace, do not have. */
export async function missingRights(client: Client, rights: readonly Right[], system: string): Promise<Reading<Right>> {
  try {
    const answers = await Promise.all(rights.map(right => has(client, right, system)));
    return { items: rights.filter((_, index) => !answers[index]) };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { items: [], unseen: 'you may not create subjectaccessreviews' };
  }
}

async function has(client: Client, { account, ...resourceAttributes }: Right, system: string): Promise<boolean> {
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
