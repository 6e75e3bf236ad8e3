import { timestamp } from '@minifleet/clock';
import { encodeJitConfig, runnerFiles } from '../../runners/jit-config.ts';
import type { Runner } from '../../runners/runner.ts';
import { ApiError, notFound } from '../api-error.ts';
import { PAGING, page } from '../page.ts';
import type { Answer, Call, Route } from '../route.ts';
import { scopeOf } from '../scope-of.ts';
import { runnerView } from '../view/runner-view.ts';

const ORGANIZATION = { prefix: '/orgs/{org}', permission: 'organization_self_hosted_runners' };
const REPOSITORY = { prefix: '/repos/{owner}/{repo}', permission: 'administration' };

/** Runners of an organization, and the same for one repository, where another permission is asked for. */
export const runnerRoutes: readonly Route[] = [ORGANIZATION, REPOSITORY].flatMap(({ prefix, permission }): Route[] => {
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
  ];
});

export function runnerOf(call: Call): Runner {
  const runner = call.forge.runners.find(scopeOf(call), Number(call.parameters['runner_id']));
  if (!runner) throw notFound();
  return runner;
}

function listRunners(call: Call): Answer {
  const name = call.query.get('name');
  const all = call.forge.runners.inScope(scopeOf(call)).filter(runner => name === null || runner.name === name);
  const { items, headers } = page(call, all);
  return { status: 200, headers, body: { total_count: all.length, runners: items.map(runnerView) } };
}

function mintToken(call: Call, kind: 'registration' | 'removal'): Answer {
  const { token, expiresAt } = call.forge.tokens.mint({ kind, scope: scopeOf(call) });
  return { status: 201, body: { token, expires_at: timestamp(expiresAt) } };
}

function generateJitConfig(call: Call): Answer {
  const { forge, body } = call;
  const scope = scopeOf(call);
  const { name, groupId, labels } = readWanted(body);
  if (!scope.account.groups.some(group => group.id === groupId)) throw notFound();
  if (forge.runners.findByName(scope, name)) {
    throw new ApiError(409, `Already exists - A runner with the name ${name} already exists.`);
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

/** The words for a missing field are GitHub's for any endpoint; those for a wrong number of labels are derived. */
function readWanted(body: Call['body']): { name: string; groupId: number; labels: readonly string[] } {
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

const invalid = (message: string): ApiError => new ApiError(422, message);

function removeRunner(call: Call): Answer {
  const runner = runnerOf(call);
  if (call.forge.runners.remove(runner)) return { status: 204 };
  // The words of 2025 and later; before, `Runner "x" is still running a job"`, stray quote included.
  throw new ApiError(422, `Bad request - Runner ${runner.name} is currently running a job and cannot be deleted.`);
}
