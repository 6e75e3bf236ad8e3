import type { Answer, Call, Route } from '../rest/route.ts';
import { encodeJitConfig, runnerFiles } from '../runners/jit-config.ts';
import type { Runner } from '../runners/runner.ts';

import { queueRoutes } from './queue-routes.ts';
import { type ScaleSet, type ScaleSetLabel, ServiceError, scaleSetView } from './scale-set.ts';
import { adminScope, answerWith, beside, type ScaleSets, TENANT } from './scale-sets.ts';
import { sessionRoutes } from './session-routes.ts';

const AGENTS = `${TENANT}/_apis/distributedtask/pools/0/agents`;
const JIT = `${TENANT}/_apis/runtime/runnerscalesets/{id}/generatejitconfig`;

/** The runners of scale sets, which this service calls agents. */
function agentRoutes(sets: ScaleSets): readonly Route[] {
  return [
    beside('POST', JIT, call => generate(sets, call)),
    beside('GET', AGENTS, call => {
      const name = call.query.get('agentName') ?? '';
      const found = call.forge.runners.findByName(adminScope(call), name);
      const value = found ? [agentView(found)] : [];
      return answerWith(sets, { count: value.length, value });
    }),
    beside('GET', `${AGENTS}/{agent}`, call => answerWith(sets, agentView(agentOf(call)))),
    beside('DELETE', `${AGENTS}/{agent}`, call => {
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

function agentOf(call: Call): Runner {
  const id = Number(call.parameters['agent']);
  const runner = call.forge.runners.find(adminScope(call), id);
  if (!runner) throw new ServiceError(404, 'AgentNotFoundException', `No agent found with identifier ${id}.`);
  return runner;
}

function generate(sets: ScaleSets, call: Call): Answer {
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
  return answerWith(sets, {
    runner: agentView(runner),
    encodedJITConfig: encodeJitConfig(runnerFiles(forge, runner)),
  });
}

const SETS = `${TENANT}/_apis/runtime/runnerscalesets`;
const GROUPS = `${TENANT}/_apis/runtime/runnergroups`;

/** Scale sets: found, made, changed and removed with the admin token. */
function setRoutes(sets: ScaleSets): readonly Route[] {
  const show = (set: ScaleSet): Answer => answerWith(sets, scaleSetView(set, sets.statistics(set)));
  const find = (call: Call): ScaleSet => sets.find(adminScope(call), Number(call.parameters['id']));
  return [
    beside('GET', SETS, call => list(sets, call)),
    beside('POST', SETS, call => show(create(sets, call))),
    beside('GET', `${SETS}/{id}`, call => show(find(call))),
    beside('PATCH', `${SETS}/{id}`, call => {
      const set = find(call);
      Object.assign(set, wanted(call.body, set));
      return show(set);
    }),
    beside('DELETE', `${SETS}/{id}`, call => {
      sets.remove(find(call));
      return { status: 204 };
    }),
    // Clients write it with a slash before the question mark.
    ...['', '/'].map(end => beside('GET', GROUPS + end, call => listGroups(sets, call))),
  ];
}

function list(sets: ScaleSets, call: Call): Answer {
  const name = call.query.get('name');
  const group = call.query.get('runnerGroupId');
  const found = sets
    .list(adminScope(call))
    .filter(set => (name === null || set.name === name) && (group === null || set.groupId === Number(group)));
  const value = found.map(set => scaleSetView(set, sets.statistics(set)));
  return answerWith(sets, { count: value.length, value });
}

function create(sets: ScaleSets, call: Call): ScaleSet {
  return sets.create(adminScope(call), wanted(call.body, { name: '', groupId: 1, labels: [], disableUpdate: false }));
}

type Changeable = Pick<ScaleSet, 'name' | 'groupId' | 'labels' | 'disableUpdate'>;

function wanted(body: Call['body'], now: Changeable): Changeable {
  const { name, runnerGroupId, labels, RunnerSetting: setting } = body;
  const { disableUpdate } = (setting ?? {}) as { disableUpdate?: boolean };
  return {
    name: typeof name === 'string' && name !== '' ? name : now.name,
    groupId: typeof runnerGroupId === 'number' ? runnerGroupId : now.groupId,
    labels: Array.isArray(labels) && labels.length > 0 ? (labels as ScaleSetLabel[]) : now.labels,
    disableUpdate: disableUpdate ?? now.disableUpdate,
  };
}

function listGroups(sets: ScaleSets, call: Call): Answer {
  const { account } = adminScope(call);
  const value = account.groups
    .filter(group => group.name === call.query.get('groupName'))
    .map(({ id, name, isDefault }) => ({ id, name, size: 0, isDefaultGroup: isDefault }));
  return answerWith(sets, { count: value.length, value });
}

/** Every call of the Actions service that listeners of scale sets make. */
export const scaleSetRoutes = (sets: ScaleSets): readonly Route[] => [
  ...setRoutes(sets),
  ...sessionRoutes(sets),
  ...queueRoutes(sets),
  ...agentRoutes(sets),
];
