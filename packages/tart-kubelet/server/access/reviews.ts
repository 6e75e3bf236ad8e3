/** TokenReview and SubjectAccessReview on the API server. */
import type { Client, KubeObject, Resource } from '@minifleet/kube';

export interface Reviews {
  /** Undefined if the API server rejects the token. */
  authenticate(token: string): Promise<AuthenticatedUser | undefined>;
  isAllowed(user: AuthenticatedUser, access: NodeAccess): Promise<boolean>;
}

/** One permission on this Node: `get nodes/mac-1/metrics`. */
export interface NodeAccess {
  readonly verb: string;
  readonly node: string;
  readonly subresource: string;
}

interface TokenReview extends KubeObject {
  spec: { token: string };
  status?: {
    authenticated?: boolean;
    user?: { username?: string; groups?: string[]; uid?: string; extra?: Record<string, string[]> };
  };
}

interface SubjectAccessReview extends KubeObject {
  spec: object;
  status?: { allowed?: boolean };
}

const tokenReviews: Resource<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  scope: 'Cluster',
};

const subjectAccessReviews: Resource<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
};

/** Sends the reviews as the Node, which may create both (`system:node`). */
export function reviewsOf(client: Client): Reviews {
  return {
    async authenticate(token) {
      const { status } = await client.create(tokenReviews, { metadata: {}, spec: { token } });
      const user = status?.user;
      if (!status?.authenticated || !user?.username) return undefined;
      return { username: user.username, groups: user.groups ?? [], uid: user.uid, extra: user.extra };
    },
    async isAllowed({ username, ...user }, { verb, node, subresource }) {
      const resourceAttributes = { verb, version: 'v1', resource: 'nodes', subresource, name: node };
      const spec = { user: username, ...user, resourceAttributes };
      return (await client.create(subjectAccessReviews, { metadata: {}, spec })).status?.allowed === true;
    },
  };
}

/** Authenticated user, with the fields of Kubernetes' reviews. */
export interface AuthenticatedUser {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
