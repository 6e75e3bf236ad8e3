import { requireApp, requireInstallation } from '../../auth/caller.ts';
import type { AppInstallation } from '../../auth/tokens.ts';
import type { Permissions } from '../../options.ts';
import { GithubApiError, notFound } from '../github-api-error.ts';
import { type GithubCall, type GithubRoute, PAGING, page } from '../route.ts';

import { appView, installationTokenView, installationView } from '../view/account-view.ts';

/** Endpoints for an App itself: reads its installations, and mints their tokens. */
export const appRoutes: readonly GithubRoute[] = [
  {
    method: 'GET',
    path: '/app',
    as: 'app',
    answer: ({ caller, forge }) => ({ status: 200, body: appView(requireApp(caller), forge.address) }),
  },
  {
    method: 'GET',
    path: '/app/installations',
    as: 'app',
    query: PAGING,
    answer(call) {
      const { items, headers } = page(call, requireApp(call.caller).installations);
      return { status: 200, headers, body: items.map(each => installationView(each, call.forge.address)) };
    },
  },
  {
    method: 'GET',
    path: '/app/installations/{installation_id}',
    as: 'app',
    answer: call => ({ status: 200, body: installationView(installationOf(call), call.forge.address) }),
  },
  {
    method: 'GET',
    path: '/orgs/{org}/installation',
    as: 'app',
    answer: call => ({ status: 200, body: installationOn(call, call.parameters['org'] ?? '') }),
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/installation',
    as: 'app',
    answer: call => ({ status: 200, body: installationOn(call, call.parameters['owner'] ?? '') }),
  },
  {
    method: 'POST',
    path: '/app/installations/{installation_id}/access_tokens',
    as: 'app',
    fields: ['permissions'],
    answer: mintToken,
  },
  {
    method: 'DELETE',
    path: '/installation/token',
    as: {},
    answer({ caller, forge }) {
      forge.tokens.revoke(requireInstallation(caller).token);
      return { status: 204 };
    },
  },
];

function installationOf({ caller, parameters }: GithubCall): AppInstallation {
  const id = Number(parameters['installation_id']);
  const found = requireApp(caller).installations.find(each => each.id === id);
  if (!found) throw notFound();
  return found;
}

function installationOn({ caller, forge }: GithubCall, login: string): Record<string, unknown> {
  const account = forge.accounts.findAccount(login);
  const found = requireApp(caller).installations.find(each => each.account === account);
  if (!found) throw notFound();
  return installationView(found, forge.address);
}

function mintToken(call: GithubCall): { status: number; body: unknown } {
  const installation = installationOf(call);
  if (installation.suspended) throw new GithubApiError(403, 'This installation has been suspended');
  const requested = call.body['permissions'] as Permissions | undefined;
  const permissions = requested ?? installation.permissions;
  const granted = Object.entries(permissions).every(([name, access]) => allows(installation.permissions, name, access));
  if (!granted) {
    throw new GithubApiError(422, 'The permissions requested are not granted to this installation.');
  }
  const minted = call.forge.tokens.mint({ kind: 'installation', installation, permissions });
  return { status: 201, body: installationTokenView(minted, permissions) };
}

/** Write includes read. */
export const allows = (granted: Permissions, name: string, access: string): boolean =>
  granted[name] === 'write' || granted[name] === access;
