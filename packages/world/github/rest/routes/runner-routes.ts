import { timestamp } from '@minifleet/clock';
import { encodeJitConfig, runnerFiles } from '../../runners/jit-config.ts';
import { pathOf, sameScope } from '../../runners/register-runner.ts';
import type { Runner } from '../../runners/runner.ts';
import { GithubApiError, notFound } from '../github-api-error.ts';
import { type GithubCall, type GithubResponse, type GithubRoute, PAGING, page, scopeOf } from '../route.ts';
import { labelView, runnerView } from '../view/account-view.ts';

/**
 * First call of `config.sh` and of scale set clients (facts §6.2): exchanges a registration token for the URL of the
 * Actions service and an admin token. No published description includes it. Every error is a 404.
 */
export const registrationRoutes: readonly GithubRoute[] = [
  { method: 'POST', path: '/actions/runner-registration', as: 'anyone', beside: true, answer: exchange },
];

function exchange({ forge, authorization, body }: GithubCall): GithubResponse {
  const token = /^RemoteAuth +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const kind = body['runner_event'] === 'remove' ? 'removal' : 'registration';
  const grant = forge.tokens.find(kind, token);
  const { url } = body;
  const scope = typeof url === 'string' ? forge.accounts.findScope(pathOf(url)) : undefined;
  if (!grant || !scope || !sameScope(grant.scope, scope)) throw notFound();
  return {
    status: 200,
    body: {
      url: `${forge.address.api}/_world/actions/${scope.account.id}/`,
      token: forge.tokens.mint({ kind: 'admin', scope }).token,
      token_schema: 'OAuthAccessToken',
      use_v2_flow: false,
    },
  };
}

const PATH = '/orgs/{org}/actions/runners/{runner_id}/labels';
const READ = { organization_self_hosted_runners: 'read' } as const;
const WRITE = { organization_self_hosted_runners: 'write' } as const;

/** Custom labels of an organization's runner. Read-only labels cannot be removed. */
export const labelRoutes: readonly GithubRoute[] = [
  { method: 'GET', path: PATH, as: READ, answer: call => show(runnerOf(call)) },
  {
    method: 'POST',
    path: PATH,
    as: WRITE,
    fields: ['labels'],
    answer: call => relabel(call, runner => [...customLabels(runner), ...labelsIn(call)]),
  },
  { method: 'PUT', path: PATH, as: WRITE, fields: ['labels'], answer: call => relabel(call, () => labelsIn(call)) },
  { method: 'DELETE', path: PATH, as: WRITE, answer: call => relabel(call, () => []) },
];

const customLabels = (runner: Runner): string[] =>
  runner.labels.filter(label => label.type === 'custom').map(label => label.name);

function labelsIn({ body }: GithubCall): string[] {
  const { labels } = body;
  if (!Array.isArray(labels)) throw new GithubApiError(422, 'Invalid request.\n\n"labels" wasn\'t supplied.');
  return labels.map(String);
}

function relabel(call: GithubCall, custom: (runner: Runner) => readonly string[]): GithubResponse {
  const runner = runnerOf(call);
  call.forge.runners.relabel(runner, custom(runner));
  return show(runner);
}

const show = ({ labels }: Runner): GithubResponse => ({
  status: 200,
  body: { total_count: labels.length, labels: labels.map(labelView) },
});

const ORGANIZATION = { prefix: '/orgs/{org}', permission: 'organization_self_hosted_runners' };
const REPOSITORY = { prefix: '/repos/{owner}/{repo}', permission: 'administration' };

/** Runners of an organization, and of one repository, which needs another permission. */
export const runnerRoutes: readonly GithubRoute[] = [ORGANIZATION, REPOSITORY].flatMap(
  ({ prefix, permission }): GithubRoute[] => {
    const base = `${prefix}/actions/runners`;
    const read = { [permission]: 'read' } as const;
    const write = { [permission]: 'write' } as const;
    return [
      { method: 'GET', path: base, as: read, query: ['name', ...PAGING], answer: listRunners },
      {
        method: 'POST',
        path: `${base}/registration-token`,
        as: write,
        resource: 'actions_runner_registration',
        answer: call => mintToken(call, 'registration'),
      },
      { method: 'POST', path: `${base}/remove-token`, as: write, answer: call => mintToken(call, 'removal') },
      {
        method: 'POST',
        path: `${base}/generate-jitconfig`,
        as: write,
        fields: ['name', 'runner_group_id', 'labels', 'work_folder'],
        answer: generateJitConfig,
      },
      {
        method: 'GET',
        path: `${base}/{runner_id}`,
        as: read,
        answer: call => ({ status: 200, body: runnerView(runnerOf(call)) }),
      },
      { method: 'DELETE', path: `${base}/{runner_id}`, as: write, answer: removeRunner },
      { method: 'GET', path: `${base}/deprecations/{version}`, as: read, undescribed: true, answer: showDeprecation },
    ];
  },
);

/** Exists since 2026-09-03. `registration_deprecates_at` is declared, but nobody has seen it in a response. */
function showDeprecation({ forge, parameters }: GithubCall): GithubResponse {
  const { version = '' } = parameters;
  const found = forge.releases.deprecation(version);
  if (!found) throw notFound();
  const { deadline } = found;
  const body = {
    runner_version: version,
    runtime_deprecates_at: deadline === undefined ? null : timestamp(deadline),
  };
  return { status: 200, body };
}

function runnerOf(call: GithubCall): Runner {
  const runner = call.forge.runners.find(scopeOf(call), Number(call.parameters['runner_id']));
  if (!runner) throw notFound();
  return runner;
}

function listRunners(call: GithubCall): GithubResponse {
  const name = call.query.get('name');
  const all = call.forge.runners.inScope(scopeOf(call)).filter(runner => name === null || runner.name === name);
  const { items, headers } = page(call, all);
  return { status: 200, headers, body: { total_count: all.length, runners: items.map(runnerView) } };
}

function mintToken(call: GithubCall, kind: 'registration' | 'removal'): GithubResponse {
  const { token, expiresAt } = call.forge.tokens.mint({ kind, scope: scopeOf(call) });
  return { status: 201, body: { token, expires_at: timestamp(expiresAt) } };
}

function generateJitConfig(call: GithubCall): GithubResponse {
  const { forge, body } = call;
  const scope = scopeOf(call);
  const { name, groupId, labels } = readWanted(body);
  if (!scope.account.groups.some(group => group.id === groupId)) throw notFound();
  if (forge.runners.findByName(scope, name)) {
    throw new GithubApiError(409, `Already exists - A runner with the name ${name} already exists.`);
  }
  const workFolder = body['work_folder'];
  const runner = forge.runners.add({
    scope,
    name,
    groupId,
    labels,
    ephemeral: true,
    ...(typeof workFolder === 'string' && { workFolder }),
  });
  const encoded = encodeJitConfig(runnerFiles(forge, runner));
  return { status: 201, body: { runner: runnerView(runner), encoded_jit_config: encoded } };
}

/** The message for a missing field is GitHub's for any endpoint; the one for a wrong number of labels is derived. */
function readWanted(body: GithubCall['body']): { name: string; groupId: number; labels: readonly string[] } {
  const { name, runner_group_id: groupId, labels } = body;
  const missing = [
    ...(typeof name === 'string' ? [] : ['name']),
    ...(typeof groupId === 'number' ? [] : ['runner_group_id']),
    ...(Array.isArray(labels) ? [] : ['labels']),
  ];
  if (typeof name !== 'string' || typeof groupId !== 'number' || !Array.isArray(labels)) {
    const quoted = missing.map(field => `"${field}"`);
    throw invalid(`Invalid request.\n\n${quoted.join(', ')} ${missing.length === 1 ? "wasn't" : "weren't"} supplied.`);
  }
  if (labels.length === 0 || labels.length > 100) throw invalid('Invalid request.\n\nlabels must have 1 to 100 items.');
  return { name, groupId, labels: labels.map(String) };
}

const invalid = (message: string): GithubApiError => new GithubApiError(422, message);

function removeRunner(call: GithubCall): GithubResponse {
  const runner = runnerOf(call);
  if (call.forge.runners.remove(runner)) return { status: 204 };
  // The message of 2025 and later; before: `Runner "x" is still running a job"`, including the stray quote.
  throw new GithubApiError(
    422,
    `Bad request - Runner ${runner.name} is currently running a job and cannot be deleted.`,
  );
}
