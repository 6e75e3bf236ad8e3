import type { Answer, Call, Route } from '../rest/route.ts';
import { encodeJitConfig, runnerFiles } from '../runners/jit-config.ts';
import type { Runner } from '../runners/runner.ts';
import { adminScope, answerWith, beside, TENANT } from './desk.ts';
import type { ScaleSets } from './scale-sets.ts';
import { ServiceError } from './service-error.ts';

const AGENTS = `${TENANT}/_apis/distributedtask/pools/0/agents`;
const JIT = `${TENANT}/_apis/runtime/runnerscalesets/{id}/generatejitconfig`;

/** The runners of scale sets, which this service calls agents. */
export function agentRoutes(sets: ScaleSets): readonly Route[] {
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
