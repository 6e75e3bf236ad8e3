import type { InfraMachine } from '@minifleet/api';
import {
  type CertificateSigningRequest,
  type Context,
  certificateSigningRequests,
  deleting,
  keyOf,
  keyString,
  type Node,
  nodes,
  type ObjectKey,
  type Outcome,
  secrets,
  settled,
} from '@minifleet/kube';
import { readCertificateRequest } from '@minifleet/x509';
import { findMachines, machinesNamed } from '../cluster-api/machine-indexes.ts';
import { type BootstrapToken, isElsewhere, readToken, tokenKey } from './bootstrap-token.ts';
import {
  type ApproverDeps,
  answerRequest,
  approve,
  deny,
  fenced,
  isAnswered,
  nodeNamed,
  type RequestDecision,
  type RequestSpec,
  requestedNames,
  requesterOf,
} from './certificate-request.ts';

type Machines = readonly InfraMachine[];

/** Answers a request for a Node client certificate, if it names a machine of this provider or was made with one of its tokens. */
export async function approveClient(context: Context, key: ObjectKey, parts: ApproverDeps): Promise<Outcome> {
  const request = context.cache(certificateSigningRequests).get(key);
  if (!request || isAnswered(request)) return settled();
  const judged = await judge(context, request, parts);
  if (!judged) return settled();
  const { machine } = judged;
  const verdict = machine ? await fenced(judged.verdict, machine, parts.fence) : judged.verdict;
  if (verdict.kind !== 'wait') await answerRequest(context, request, { verdict, machine, which: 'client' });
  return settled();
}

interface JudgedRequest {
  readonly verdict: RequestDecision;
  readonly machine: InfraMachine | undefined;
}

async function judge(
  context: Context,
  request: CertificateSigningRequest,
  { machines: selection }: ApproverDeps,
): Promise<JudgedRequest | undefined> {
  const requester = requesterOf(request);
  if (!requester) return undefined;
  if ('node' in requester) {
    const machines = machinesNamed(context, requester.node);
    return machines.length === 0 ? undefined : judgeFor(context, request, { nodeName: requester.node, machines });
  }
  // Bypasses the cache, so that a withdrawn token has no effect.
  const secret = await context.client.find(secrets, tokenKey(requester.tokenId));
  const token = secret && readToken(secret);
  if (!token) return judgeForeign(context, request);
  return isElsewhere(token, selection) ? undefined : judgeToken(context, request, token);
}

async function judgeToken(
  context: Context,
  request: CertificateSigningRequest,
  token: BootstrapToken,
): Promise<JudgedRequest | undefined> {
  const { name: nodeName } = token.machine;
  const machines = machinesNamed(context, nodeName);
  // The machine exists but does not match the selection: it belongs to another provider.
  if (machines.length === 0 && (await findMachines(context.client, token.machine)).length > 0) return undefined;
  return judgeFor(context, request, { nodeName, machines, token });
}

/** Token that was deleted or is unknown. After a denial the agent sends a new request with its current token; otherwise it would wait. */
function judgeForeign(context: Context, request: CertificateSigningRequest): JudgedRequest | undefined {
  const names = readCertificateRequest(request.spec.request);
  const nodeName = 'unreadable' in names ? undefined : nodeNamed(names.commonName);
  const [machine] = nodeName === undefined ? [] : machinesNamed(context, nodeName);
  return (
    machine && {
      machine,
      verdict: deny(`its bootstrap token no longer exists or does not belong to the machine ${nodeName}`),
    }
  );
}

function judgeFor(
  { cache }: Context,
  { spec }: CertificateSigningRequest,
  {
    nodeName,
    machines,
    token,
  }: { readonly nodeName: string; readonly machines: Machines; readonly token?: BootstrapToken },
): JudgedRequest {
  const node = cache(nodes).get({ name: nodeName });
  return { machine: machines[0], verdict: judgeClient({ spec, nodeName, machines, node, token }) };
}

export interface ClientQuestion {
  readonly spec: RequestSpec;
  /** Node of the requester, or of its token. */
  readonly nodeName: string;
  /** All machines of that name, in any namespace. */
  readonly machines: readonly InfraMachine[];
  readonly node: Node | undefined;
  /** Bootstrap token of the requester, if it is not a Node yet. */
  readonly token: BootstrapToken | undefined;
}

/**
 * Decides if the requester may become this Node. A token is valid only for the Node of its machine: the approver of Kubernetes lets
 * any token become any Node, even an existing one.
 */
export function judgeClient(question: ClientQuestion): RequestDecision {
  const why = wrongWithMachine(question) ?? wrongWithNames(question) ?? wrongWithNode(question);
  return why === undefined ? approve : deny(why);
}

function wrongWithMachine({ nodeName, machines, token }: ClientQuestion): string | undefined {
  const [machine, namesake] = machines;
  if (!machine) return `the machine ${nodeName} does not exist`;
  if (namesake) {
    const both = [machine, namesake].map(one => keyString(keyOf(one)));
    return `${both.join(' and ')} would share the Node ${nodeName}; delete the Machine of one`;
  }
  // An existing Node keeps working until it is released.
  if (!token) return undefined;
  if (token.machineUID !== machine.metadata.uid) return `its token belongs to an earlier machine ${nodeName}`;
  return deleting(machine) ? `the machine ${nodeName} is being deleted` : undefined;
}

function wrongWithNames({ spec, nodeName }: ClientQuestion): string | undefined {
  const names = requestedNames(spec, nodeName, 'client auth');
  if ('wrong' in names) return names.wrong;
  return names.dnsNames.length + names.addresses.length > 0
    ? 'a client certificate must not contain DNS names or addresses'
    : undefined;
}

function wrongWithNode({ nodeName, machines, node }: ClientQuestion): string | undefined {
  const found = node?.spec?.providerID;
  const wanted = machines[0]?.spec.providerID;
  return !found || found === wanted
    ? undefined
    : `the Node ${nodeName} already exists with the providerID ${found} instead of ${wanted}`;
}
