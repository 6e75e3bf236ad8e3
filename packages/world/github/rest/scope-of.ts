import type { Scope } from '../accounts.ts';
import { requireInstallation } from '../auth/caller.ts';
import { notAccessible, notFound } from './api-error.ts';
import type { Call } from './route.ts';

/** The organization or repository of the path, if the caller's installation is on it. */
export function scopeOf({ forge, caller, parameters }: Call): Scope {
  const { org, owner, repo } = parameters;
  const scope = forge.accounts.findScope(org ?? `${owner}/${repo}`);
  if (!scope) throw notFound();
  if (requireInstallation(caller).grant.installation.account !== scope.account) throw notAccessible();
  return scope;
}
