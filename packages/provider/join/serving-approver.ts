import { isIP } from 'node:net';
import type { InfraMachine } from '@minifleet/api';
import {
  type CertificateSigningRequest,
  type Context,
  certificateSigningRequests,
  isConditionTrue,
  type Node,
  nodes,
  type ObjectKey,
  type Outcome,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { type CertificateNames, canonicalAddress } from '@minifleet/x509';
import { machinesNamed } from '../cluster-api/machine-indexes.ts';
import {
  type ApproverDeps,
  answerRequest,
  approve,
  deny,
  fenced,
  isAnswered,
  NODES_GROUP,
  type RequestDecision,
  type RequestSpec,
  requestedNames,
  requesterOf,
  wait,
} from './certificate-request.ts';

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

export interface ServingQuestion {
  readonly spec: RequestSpec;
  /** Machine with the name of the requesting Node. */
  readonly machine: InfraMachine;
  readonly node: Node | undefined;
}

/** Decides if the requested names are the name of the machine and the addresses of its host. */
export function judgeServing({ spec, machine, node }: ServingQuestion): RequestDecision {
  const { name } = machine.metadata;
  const outside = [NODES_GROUP, 'system:authenticated'].filter(group => !spec.groups?.includes(group));
  if (outside.length > 0) return deny(`the requester is not in the group ${outside.join(', ')}`);
  const names = requestedNames(spec, name, 'server auth');
  if ('wrong' in names) return deny(names.wrong);
  return judgeNode(node, machine) ?? judgeNames(names, machine);
}

/** Undefined if the Node belongs to this machine. The request comes right after the registration, so the cache may be stale. */
function judgeNode(node: Node | undefined, { metadata, spec }: InfraMachine): RequestDecision | undefined {
  const { name } = metadata;
  const found = node?.spec?.providerID;
  if (!found || spec.providerID === undefined) return wait(`the Node ${name} has no providerID yet`);
  return found === spec.providerID
    ? undefined
    : deny(`the Node ${name} has the providerID ${found} instead of ${spec.providerID}`);
}

function judgeNames({ dnsNames, addresses }: CertificateNames, machine: InfraMachine): RequestDecision {
  const { name } = machine.metadata;
  const foreign = dnsNames.filter(asked => asked !== name && asked !== name.toLowerCase());
  if (foreign.length > 0) return deny(`it requests the DNS name ${foreign.join(', ')}, but the host name is ${name}`);
  if (dnsNames.length + addresses.length === 0) return deny('it requests no name and no address');
  const known = (machine.status?.addresses ?? []).map(({ address }) => address).filter(address => isIP(address) !== 0);
  const own = new Set(known.map(canonicalAddress));
  const unknown = addresses.filter(address => !own.has(address));
  if (unknown.length === 0) return approve;
  const words = `it requests the address ${unknown.join(', ')}, but the known addresses are ${known.join(', ') || 'none'}`;
  // The agent sends its request before the job that installed it has reported the addresses of the host.
  return isConfigured(machine) ? deny(words) : wait(words);
}

const isConfigured = (machine: InfraMachine): boolean =>
  machine.status?.initialization?.provisioned === true || isConditionTrue(machine, 'HostBootstrapped');
