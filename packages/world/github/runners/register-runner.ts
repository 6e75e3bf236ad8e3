import type { Scope } from '../accounts.ts';
import type { GithubState } from '../github-state.ts';
import { requestId } from '../rest/github-api-error.ts';
import { type RunnerFiles, runnerFiles } from './jit-config.ts';
import type { Runner } from './runner.ts';

/** The flags of `config.sh` that matter to the forge. */
export interface RunnerRegistration {
  /** `--url https://github.com/acme` or `…/acme/app`. The host is not looked at: every address leads here. */
  readonly url: string;
  readonly token: string;
  readonly name: string;
  /** `--labels a,b`: besides `self-hosted`, the system's and the processor's. */
  readonly labels?: readonly string[];
  readonly noDefaultLabels?: boolean;
  readonly group?: string;
  readonly replace?: boolean;
  readonly ephemeral?: boolean;
  readonly workFolder?: string;
  readonly version?: string;
}

/** What `config.sh` prints before it exits with 1, and the status the service answered. */
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
  /** What `config.sh` writes beside itself. */
  readonly files: RunnerFiles;
}

const DEFAULT_LABELS = ['self-hosted', 'macOS', 'ARM64'];

/** What `config.sh --unattended` does with the service: exchanges the token, finds the group, adds or replaces the runner. */
export function registerRunner(forge: GithubState, wanted: RunnerRegistration): RegistrationResult {
  const scope = exchangeToken(forge, { ...wanted, kind: 'registration' });
  const group = scope.account.groups.find(each => each.name === (wanted.group ?? 'Default'));
  if (!group)
    throw new RegistrationRefused(404, `Could not find any self-hosted runner group named "${wanted.group}".`);
  const old = forge.runners.findByName(scope, wanted.name);
  if (old && !wanted.replace) {
    throw new RegistrationRefused(
      409,
      `\nA runner exists with the same name\nPool ${old.groupId} already contains a runner with name ${wanted.name}.`,
    );
  }
  const fresh = {
    scope,
    name: wanted.name,
    groupId: group.id,
    labels: [...(wanted.noDefaultLabels ? [] : DEFAULT_LABELS), ...(wanted.labels ?? [])],
    ephemeral: wanted.ephemeral ?? false,
    workFolder: wanted.workFolder ?? '_work',
    os: 'macOS',
    ...(wanted.version !== undefined && { version: wanted.version }),
  };
  const runner = old ? forge.runners.replace(old, fresh) : forge.runners.add(fresh);
  return { runner, files: runnerFiles(forge, runner) };
}

/** `config.sh remove`: false when no such runner is there any more, which is no error. */
export function unregisterRunner(
  forge: GithubState,
  wanted: { readonly url: string; readonly token: string; readonly name: string },
): boolean {
  const scope = exchangeToken(forge, { ...wanted, kind: 'removal' });
  const runner = forge.runners.findByName(scope, wanted.name);
  if (!runner) return false;
  if (!forge.runners.remove(runner)) {
    throw new RegistrationRefused(400, `Runner "${wanted.name}" is running a job for pool "${runner.groupId}"`);
  }
  return true;
}

interface TokenExchange {
  readonly kind: 'registration' | 'removal';
  readonly url: string;
  readonly token: string;
}

/** Expired, of another organization, or made up: the service answers the same 404 to each, as seen in many reports. */
function exchangeToken(forge: GithubState, { kind, url, token }: TokenExchange): Scope {
  const grant = forge.tokens.find(kind, token);
  const scope = forge.accounts.findScope(pathOf(url));
  if (grant && scope && sameScope(grant.scope, scope)) return scope;
  throw new RegistrationRefused(
    404,
    [
      "Http response code: NotFound from 'POST https://api.github.com/actions/runner-registration' " +
        `(Request Id: ${requestId(forge.world.chance)})`,
      '{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}',
      'Response status code does not indicate success: 404 (Not Found).',
    ].join('\n'),
  );
}

export const sameScope = (one: Scope, other: Scope): boolean =>
  one.account === other.account && one.repository === other.repository;

export function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname.replace(/^\/+|\/+$/g, '') : url;
}
