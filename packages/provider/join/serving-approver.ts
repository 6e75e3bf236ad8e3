import type { InfraMachine } from '@minifleet/api';
import {
  type CertificateSigningRequest,
  type Context,
  certificateSigningRequests,
  type Node,
  nodes,
  type ObjectKey,
  type Outcome,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { machinesNamed } from '../cluster-api/find-machines.ts';
import { type ApproverDeps, answerRequest, fenced } from './answer-request.ts';
import { judgeServing } from './judge-serving.ts';
import { isAnswered, requesterOf } from './requester.ts';

/** Answers a request for a serving certificate; Kubernetes has no approver for these. Ignores Nodes that Minifleet does not manage. */
export async function approveServing(context: Context, key: ObjectKey, { fence }: ApproverDeps): Promise<Outcome> {
  const request = context.cache(certificateSigningRequests).get(key);
  if (!request || isAnswered(request)) return settled();
  const asked = questionOf(context, request);
  if (!asked) return settled();
  const verdict = await fenced(judgeServing(asked), asked.machine, fence);
  if (verdict.kind === 'wait') return waitForWatch(verdict.why);
  await answerRequest(context, request, { verdict, machine: asked.machine, which: 'serving' });
  return settled();
}

function questionOf(context: Context, request: CertificateSigningRequest) {
  const requester = requesterOf(request);
  if (!requester || !('node' in requester)) return undefined;
  const node = context.cache(nodes).get({ name: requester.node });
  const machine = machineOf(machinesNamed(context, requester.node), node);
  return machine && { spec: request.spec, machine, node };
}

/** Returns the machine with the providerID of the Node, because machines in several namespaces can have the same name. */
const machineOf = (machines: readonly InfraMachine[], node: Node | undefined): InfraMachine | undefined =>
  machines.find(({ spec }) => spec.providerID !== undefined && spec.providerID === node?.spec?.providerID) ??
  machines[0];
