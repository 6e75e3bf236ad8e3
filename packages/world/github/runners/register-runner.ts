import type { Scope } from '../accounts.ts';
import type { GithubState } from '../github-state.ts';
import { requestId } from '../rest/github-api-error.ts';
import { type RunnerFiles, runnerFiles } from './jit-config.ts';
import type { Runner } from './runner.ts';
import { OUTDATED_REGISTRATION } from './runner-releases.ts';

/** The flags of `config.sh` that GitHub sees. */
export interface RunnerRegistration {
  /** `--url https://github.com/acme` or `…/acme/app`. The host is ignored: every URL leads here. */
  readonly url: string;
  readonly token: string;
  readonly name: string;
  /** `--labels a,b`, in addition to `self-hosted` and the labels of system and processor. */
  readonly labels?: readonly string[];
  readonly noDefaultLabels?: boolean;
  readonly group?: string;
  readonly replace?: boolean;
  readonly ephemeral?: boolean;
  readonly workFolder?: string;
  readonly version?: string;
}

/** The output of `config.sh` before it exits with 1, and the HTTP status. */
export class RegistrationRefused extends Error {
  override readonly name = 'RegistrationRefused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface RegistrationResult {
  readonly runner: Runner;
  /** Files that `config.sh` writes to its directory. */
  readonly files: RunnerFiles;
}

const DEFAULT_LABELS = ['self-hosted', 'macOS', 'ARM64'];

/** Simulates `config.sh --unattended`: exchanges the token, finds the group, adds or replaces the runner. */
export function registerRunner(forge: GithubState, requested: RunnerRegistration): RegistrationResult {
  const scope = exchangeToken(forge, { ...requested, kind: 'registration' });
  if (!forge.releases.mayRegister(requested.version)) throw notFoundAt(forge, OUTDATED_REGISTRATION);
  const group = scope.account.groups.find(each => each.name === (requested.group ?? 'Default'));
  if (!group)
    throw new RegistrationRefused(404, `Could not find any self-hosted runner group named "${requested.group}".`);
  const old = forge.runners.findByName(scope, requested.name);
  if (old && !requested.replace) {
    throw new RegistrationRefused(
      409,
      `\nA runner exists with the same name\nPool ${old.groupId} already contains a runner with name ${requested.name}.`,
    );
  }
  const fresh = {
    scope,
    name: requested.name,
    groupId: group.id,
    labels: [...(requested.noDefaultLabels ? [] : DEFAULT_LABELS), ...(requested.labels ?? [])],
    ephemeral: requested.ephemeral ?? false,
    workFolder: requested.workFolder ?? '_work',
    os: 'macOS',
    ...(requested.version !== undefined && { version: requested.version }),
  };
  const runner = old ? forge.runners.replace(old, fresh) : forge.runners.add(fresh);
  return { runner, files: runnerFiles(forge, runner) };
}

/** Simulates `config.sh remove`. Returns false if the runner no longer exists, which is not an error. */
export function unregisterRunner(
  forge: GithubState,
  requested: { readonly url: string; readonly token: string; readonly name: string },
): boolean {
  const scope = exchangeToken(forge, { ...requested, kind: 'removal' });
  const runner = forge.runners.findByName(scope, requested.name);
  if (!runner) return false;
  if (!forge.runners.remove(runner)) {
    throw new RegistrationRefused(400, `Runner "${requested.name}" is running a job for pool "${runner.groupId}"`);
  }
  return true;
}

interface TokenExchange {
  readonly kind: 'registration' | 'removal';
  readonly url: string;
  readonly token: string;
}

/** Returns the scope of the token. The service returns the same 404 for expired, foreign and invented tokens, as many reports show. */
function exchangeToken(forge: GithubState, { kind, url, token }: TokenExchange): Scope {
  const grant = forge.tokens.find(kind, token);
  const scope = forge.accounts.findScope(pathOf(url));
  if (grant && scope && sameScope(grant.scope, scope)) return scope;
  throw notFoundAt(forge, 'Not Found');
}

/** Also a version below the floor gets 404, with its own words (man-group/ArcticDB#3404, singnet/das#1287). */
const notFoundAt = ({ world }: GithubState, message: string): RegistrationRefused =>
  new RegistrationRefused(
    404,
    [
      "Http response code: NotFound from 'POST https://api.github.com/actions/runner-registration' " +
        `(Request Id: ${requestId(world.chance)})`,
      `{"message":"${message}","documentation_url":"https://docs.github.com/rest","status":"404"}`,
      'Response status code does not indicate success: 404 (Not Found).',
    ].join('\n'),
  );

export const sameScope = (one: Scope, other: Scope): boolean =>
  one.account === other.account && one.repository === other.repository;

export function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname.replace(/^\/+|\/+$/g, '') : url;
}
