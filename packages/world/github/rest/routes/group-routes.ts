import type { RunnerGroup } from '../../accounts.ts';
import { notFound } from '../github-api-error.ts';
import { type GithubCall, type GithubResponse, type GithubRoute, PAGING, page, scopeOf } from '../route.ts';

import { runnerView } from '../view/account-view.ts';

const READ = { organization_self_hosted_runners: 'read' } as const;
const PATH = '/orgs/{org}/actions/runner-groups';

export const groupRoutes: readonly GithubRoute[] = [
  { method: 'GET', path: PATH, as: READ, query: PAGING, answer: listGroups },
  {
    method: 'GET',
    path: `${PATH}/{runner_group_id}`,
    as: READ,
    answer: call => ({ status: 200, body: groupView(call, groupOf(call)) }),
  },
  { method: 'GET', path: `${PATH}/{runner_group_id}/runners`, as: READ, query: PAGING, answer: listRunners },
];

function groupOf(call: GithubCall): RunnerGroup {
  const id = Number(call.parameters['runner_group_id']);
  const group = scopeOf(call).account.groups.find(each => each.id === id);
  if (!group) throw notFound();
  return group;
}

function groupView(call: GithubCall, group: RunnerGroup): Record<string, unknown> {
  const address = `${call.forge.address.api}/orgs/${scopeOf(call).account.login}/actions/runner-groups/${group.id}`;
  return {
    id: group.id,
    name: group.name,
    visibility: group.repositories ? 'selected' : 'all',
    default: group.isDefault,
    ...(group.repositories && { selected_repositories_url: `${address}/repositories` }),
    runners_url: `${address}/runners`,
    inherited: false,
    allows_public_repositories: false,
    restricted_to_workflows: false,
    selected_workflows: [],
    workflow_restrictions_read_only: false,
  };
}

function listGroups(call: GithubCall): GithubResponse {
  const { groups } = scopeOf(call).account;
  const { items, headers } = page(call, groups);
  const body = { total_count: groups.length, runner_groups: items.map(group => groupView(call, group)) };
  return { status: 200, headers, body };
}

function listRunners(call: GithubCall): GithubResponse {
  const group = groupOf(call);
  const all = call.forge.runners.inScope(scopeOf(call)).filter(runner => runner.groupId === group.id);
  const { items, headers } = page(call, all);
  return { status: 200, headers, body: { total_count: all.length, runners: items.map(runnerView) } };
}
