import type { Answer, Call, Route } from '../rest/route.ts';
import { adminScope, answerWith, beside, TENANT } from './desk.ts';
import { type ScaleSet, type ScaleSetLabel, scaleSetView } from './scale-set.ts';
import type { ScaleSets } from './scale-sets.ts';

const SETS = `${TENANT}/_apis/runtime/runnerscalesets`;
const GROUPS = `${TENANT}/_apis/runtime/runnergroups`;

/** Scale sets: found, made, changed and removed with the admin token. */
export function setRoutes(sets: ScaleSets): readonly Route[] {
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
