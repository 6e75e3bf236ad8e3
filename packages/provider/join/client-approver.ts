import type { InfraMachine } from '@minifleet/api';
import {
  type CertificateSigningRequest,
  type Context,
  certificateSigningRequests,
  nodes,
  type ObjectKey,
  type Outcome,
  secrets,
  settled,
} from '@minifleet/kube';
import { readCertificateRequest } from '@minifleet/x509';
import { findMachines, machinesNamed } from '../cluster-api/find-machines.ts';
import { type ApproverDeps, answerRequest, fenced } from './answer-request.ts';
import { type BootstrapToken, isElsewhere, readToken, tokenKey } from './bootstrap-token.ts';
import { judgeClient } from './judge-client.ts';
import { deny, type RequestDecision } from './judge-request.ts';
import { isAnswered, nodeNamed, requesterOf } from './requester.ts';

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
