import type { GithubCall, GithubResponse, GithubRoute } from '../rest/route.ts';
import { encodeJitConfig, runnerFiles } from '../runners/jit-config.ts';
import type { Runner } from '../runners/runner.ts';

import { queueRoutes } from './queue-routes.ts';
import { type ScaleSet, type ScaleSetLabel, ServiceError, scaleSetView } from './scale-set.ts';
import { adminScope, internalRoute, jsonResponse, type ScaleSets, TENANT } from './scale-sets.ts';
import { sessionRoutes } from './session-routes.ts';

const AGENTS = `${TENANT}/_apis/distributedtask/pools/0/agents`;
const JIT = `${TENANT}/_apis/runtime/runnerscalesets/{id}/generatejitconfig`;

/** The runners of scale sets, which this service calls agents. */
function agentRoutes(sets: ScaleSets): readonly GithubRoute[] {
  return [
    internalRoute('POST', JIT, call => generate(sets, call)),
    internalRoute('GET', AGENTS, call => {
      const name = call.query.get('agentName') ?? '';
      const found = call.forge.runners.findByName(adminScope(call), name);
      const value = found ? [agentView(found)] : [];
      return jsonResponse(sets, { count: value.length, value });
    }),
    internalRoute('GET', `${AGENTS}/{agent}`, call => jsonResponse(sets, agentView(agentOf(call)))),
    internalRoute('DELETE', `${AGENTS}/{agent}`, call => {
      const runner = agentOf(call);
      if (call.forge.runners.remove(runner)) return { status: 204 };
      throw new ServiceError(400, 'JobStillRunningException', `Runner ${runner.name} is still running a job.`);
    }),
  ];
}

const agentView = ({ id, name, scaleSetId }: Runner): Record<string, unknown> => ({
  id,
  name,
  runnerScaleSetId: scaleSetId ?? 0,
});

function agentOf(call: GithubCall): Runner {
  const id = Number(call.parameters['agent']);
  const runner = call.forge.runners.find(adminScope(call), id);
  if (!runner) throw new ServiceError(404, 'AgentNotFoundException', `No agent found with identifier ${id}.`);
  return runner;
}

function generate(sets: ScaleSets, call: GithubCall): GithubResponse {
  const { forge, body } = call;
  const set = sets.find(adminScope(call), Number(call.parameters['id']));
  const { name, workFolder } = body;
  if (typeof name !== 'string' || name === '') throw new ServiceError(400, 'ArgumentException', 'name is missing.');
  if (forge.runners.findByName(set.scope, name)) {
    throw new ServiceError(409, 'AgentExistsException', `A runner with the name ${name} already exists.`);
  }
  const runner = forge.runners.add({
    scope: set.scope,
    name,
    groupId: set.groupId,
    labels: set.labels.map(label => label.name),
    ephemeral: true,
    scaleSetId: set.id,
    ...(typeof workFolder === 'string' && { workFolder }),
  });
  return jsonResponse(sets, {
    runner: agentView(runner),
    encodedJITConfig: encodeJitConfig(runnerFiles(forge, runner)),
  });
}

const SETS = `${TENANT}/_apis/runtime/runnerscalesets`;
const GROUPS = `${TENANT}/_apis/runtime/runnergroups`;

/** Scale sets: list, create, change and remove with the admin token. */
function setRoutes(sets: ScaleSets): readonly GithubRoute[] {
  const show = (set: ScaleSet): GithubResponse => jsonResponse(sets, scaleSetView(set, sets.statistics(set)));
  const find = (call: GithubCall): ScaleSet => sets.find(adminScope(call), Number(call.parameters['id']));
  return [
    internalRoute('GET', SETS, call => list(sets, call)),
    internalRoute('POST', SETS, call => show(create(sets, call))),
    internalRoute('GET', `${SETS}/{id}`, call => show(find(call))),
    internalRoute('PATCH', `${SETS}/{id}`, call => {
      const set = find(call);
      Object.assign(set, requestedFields(call.body, set));
      return show(set);
    }),
    internalRoute('DELETE', `${SETS}/{id}`, call => {
      sets.remove(find(call));
      return { status: 204 };
    }),
    // Clients send it with a slash before the question mark.
    ...['', '/'].map(end => internalRoute('GET', GROUPS + end, call => listGroups(sets, call))),
  ];
}

function list(sets: ScaleSets, call: GithubCall): GithubResponse {
  const name = call.query.get('name');
  const group = call.query.get('runnerGroupId');
  const found = sets
    .list(adminScope(call))
    .filter(set => (name === null || set.name === name) && (group === null || set.groupId === Number(group)));
  const value = found.map(set => scaleSetView(set, sets.statistics(set)));
  return jsonResponse(sets, { count: value.length, value });
}

function create(sets: ScaleSets, call: GithubCall): ScaleSet {
  return sets.create(
    adminScope(call),
    requestedFields(call.body, { name: '', groupId: 1, labels: [], disableUpdate: false }),
  );
}

type ScaleSetFields = Pick<ScaleSet, 'name' | 'groupId' | 'labels' | 'disableUpdate'>;

function requestedFields(body: GithubCall['body'], now: ScaleSetFields): ScaleSetFields {
  const { name, runnerGroupId, labels, RunnerSetting: setting } = body;
  const { disableUpdate } = (setting ?? {}) as { disableUpdate?: boolean };
  return {
    name: typeof name === 'string' && name !== '' ? name : now.name,
    groupId: typeof runnerGroupId === 'number' ? runnerGroupId : now.groupId,
    labels: Array.isArray(labels) && labels.length > 0 ? (labels as ScaleSetLabel[]) : now.labels,
    disableUpdate: disableUpdate ?? now.disableUpdate,
  };
}

function listGroups(sets: ScaleSets, call: GithubCall): GithubResponse {
  const { account } = adminScope(call);
  const value = account.groups
    .filter(group => group.name === call.query.get('groupName'))
    .map(({ id, name, isDefault }) => ({ id, name, size: 0, isDefaultGroup: isDefault }));
  return jsonResponse(sets, { count: value.length, value });
}

/** Every endpoint of the Actions service that listeners of scale sets call. */
export const scaleSetRoutes = (sets: ScaleSets): readonly GithubRoute[] => [
  ...setRoutes(sets),
  ...sessionRoutes(sets),
  ...queueRoutes(sets),
  ...agentRoutes(sets),
];
