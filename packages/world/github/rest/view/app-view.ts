import { timestamp } from '@minifleet/clock';
import type { App, Installation } from '../../auth/apps.ts';
import type { MintedToken } from '../../auth/tokens.ts';
import type { Permissions } from '../../options.ts';
import { type Address, accountView, nodeId } from './account-view.ts';

/** A fixed day: nothing depends on when an App was made. */
const CREATED = '2024-01-15T09:00:00Z';
const EVENTS = ['workflow_job'];

export function appView(app: App, address: Address): Record<string, unknown> {
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

export function installationView(installation: Installation, address: Address): Record<string, unknown> {
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
