import type { Client } from '../client/client.ts';

/** `yes` or `no`, as `kubectl auth can-i` answers; of kinds that the cluster does not serve, too. */
export type MayAsk = (user: string, what: string, namespace?: string) => Promise<'yes' | 'no'>;

/** Asks an API server for the permissions of a user: `verb resource[.group][/subresource] [name]`, or `verb /path`. */
export const accessReview =
  (admin: Client): MayAsk =>
  async (user, what, namespace = '') => {
    const answer = await admin.send({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user, groups: groupsOf(user), ...attributes(what, namespace) },
      },
    });
    return (JSON.parse(answer) as { status: { allowed: boolean } }).status.allowed ? 'yes' : 'no';
  };

const groupsOf = (user: string): string[] => [
  'system:authenticated',
  ...(user.startsWith('system:bootstrap:') ? ['system:bootstrappers:minifleet'] : ['system:serviceaccounts']),
];

function attributes(what: string, namespace: string): object {
  const [verb = '', target = '', name = ''] = what.split(' ');
  if (target.startsWith('/')) return { nonResourceAttributes: { verb, path: target } };
  const [kind = '', subresource = ''] = target.split('/');
  const [resource = '', ...group] = kind.split('.');
  return { resourceAttributes: { verb, group: group.join('.'), resource, subresource, name, namespace } };
}
