import type { Account } from '../../accounts.ts';

export interface Address {
  readonly api: string;
  readonly html: string;
}

export const nodeId = (kind: string, id: number): string => `${kind}_${Buffer.from(String(id)).toString('base64url')}`;

/** An organization as `simple-user` of the description. */
export function accountView({ login, id }: Account, { api, html }: Address): Record<string, unknown> {
  const user = `${api}/users/${login}`;
  return {
    login,
    id,
    node_id: nodeId('O', id),
    avatar_url: `${html}/avatars/u/${id}?v=4`,
    gravatar_id: '',
    url: user,
    html_url: `${html}/${login}`,
    followers_url: `${user}/followers`,
    following_url: `${user}/following{/other_user}`,
    gists_url: `${user}/gists{/gist_id}`,
    starred_url: `${user}/starred{/owner}{/repo}`,
    subscriptions_url: `${user}/subscriptions`,
    organizations_url: `${user}/orgs`,
    repos_url: `${user}/repos`,
    events_url: `${user}/events{/privacy}`,
    received_events_url: `${user}/received_events`,
    type: 'Organization',
    user_view_type: 'public',
    site_admin: false,
  };
}

/** The `organization` of a webhook payload. */
export function organizationView({ login, id }: Account, { api, html }: Address): Record<string, unknown> {
  const organization = `${api}/orgs/${login}`;
  return {
    login,
    id,
    node_id: nodeId('O', id),
    url: organization,
    repos_url: `${organization}/repos`,
    events_url: `${organization}/events`,
    hooks_url: `${organization}/hooks`,
    issues_url: `${organization}/issues`,
    members_url: `${organization}/members{/member}`,
    public_members_url: `${organization}/public_members{/member}`,
    avatar_url: `${html}/avatars/u/${id}?v=4`,
    description: null,
  };
}
