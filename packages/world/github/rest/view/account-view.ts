import { timestamp } from '@minifleet/clock';
import type { Account } from '../../accounts.ts';
import type { AppInstallation, GithubApp, MintedToken } from '../../auth/tokens.ts';
import type { Permissions } from '../../options.ts';
import { busy, type Label, type Runner } from '../../runners/runner.ts';

/** A fixed date: nothing depends on the creation time of an App. */
const CREATED = '2024-01-15T09:00:00Z';
const EVENTS = ['workflow_job'];

export function appView(app: GithubApp, address: GithubAddress): Record<string, unknown> {
  const [first] = app.installations;
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('A', app.id),
    client_id: app.clientId,
    owner: first ? accountView(first.account, address) : null,
    name: app.slug,
    description: null,
    external_url: address.html,
    html_url: `${address.html}/apps/${app.slug}`,
    created_at: CREATED,
    updated_at: CREATED,
    permissions: first?.permissions ?? {},
    events: EVENTS,
    installations_count: app.installations.length,
  };
}

export function installationView(installation: AppInstallation, address: GithubAddress): Record<string, unknown> {
  const { id, app, account, permissions, suspended } = installation;
  return {
    id,
    client_id: app.clientId,
    account: accountView(account, address),
    repository_selection: 'all',
    access_tokens_url: `${address.api}/app/installations/${id}/access_tokens`,
    repositories_url: `${address.api}/installation/repositories`,
    html_url: `${address.html}/organizations/${account.login}/settings/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: 'Organization',
    permissions,
    events: EVENTS,
    created_at: CREATED,
    updated_at: CREATED,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: suspended ? CREATED : null,
  };
}

export const installationTokenView = (
  { token, expiresAt }: MintedToken,
  permissions: Permissions,
): Record<string, unknown> => ({
  token,
  expires_at: timestamp(expiresAt),
  permissions,
  repository_selection: 'all',
});

export interface GithubAddress {
  readonly api: string;
  readonly html: string;
}

export const nodeId = (kind: string, id: number): string => `${kind}_${Buffer.from(String(id)).toString('base64url')}`;

/** Renders an organization as `simple-user` of the description. */
export function accountView({ login, id }: Account, { api, html }: GithubAddress): Record<string, unknown> {
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

/** Renders the `organization` of a webhook payload. */
export function organizationView({ login, id }: Account, { api, html }: GithubAddress): Record<string, unknown> {
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

export const labelView = ({ id, name, type }: Label): Record<string, unknown> => ({ id, name, type });

export const runnerView = (runner: Runner): Record<string, unknown> => ({
  id: runner.id,
  runner_group_id: runner.groupId,
  name: runner.name,
  os: runner.os,
  status: runner.online ? 'online' : 'offline',
  busy: busy(runner),
  ephemeral: runner.ephemeral,
  version: runner.version ?? null,
  labels: runner.labels.map(labelView),
});
