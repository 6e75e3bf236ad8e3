import { type InfraMachine, machineReasons } from '@minifleet/api';
import { CataloguedError } from '@minifleet/errors';
import {
  type CertificateSigningRequest,
  type Context,
  certificateSigningRequests,
  type Selection,
} from '@minifleet/kube';
import { MACHINE_CLAIM_LOST } from './errors.ts';
import { deny, type RequestDecision } from './judge-request.ts';

/** Throws MACHINE_CLAIM_LOST unless the machine still holds its host; bypasses the cache. */
type Fence = (machine: InfraMachine) => Promise<void>;

export interface ApproverDeps {
  readonly fence: Fence;
  /** Machines of this provider. */
  readonly machines: Selection;
}

/** Checks the claim again right before an approval. */
export async function fenced(verdict: RequestDecision, machine: InfraMachine, fence: Fence): Promise<RequestDecision> {
  if (verdict.kind !== 'approve') return verdict;
  try {
    await fence(machine);
    return verdict;
  } catch (error) {
    if (error instanceof CataloguedError && error.code === MACHINE_CLAIM_LOST.code) return deny(error.message);
    throw error;
  }
}

interface RequestAnswer {
  readonly verdict: Exclude<RequestDecision, { readonly kind: 'wait' }>;
  /** Machine that the event is recorded for. */
  readonly machine: InfraMachine | undefined;
  /** `serving`, `client`. */
  readonly which: string;
}

/** Writes the decision on the version of the request that was judged; a concurrent answer causes a conflict and another reconcile. */
export async function answerRequest(
  { client, events, log }: Pick<Context, 'client' | 'events' | 'log'>,
  request: CertificateSigningRequest,
  { verdict, machine, which }: RequestAnswer,
): Promise<void> {
  const denied = verdict.kind === 'deny';
  const message = denied ? verdict.why : 'the names match the machine and its host';
  const condition = { type: denied ? 'Denied' : 'Approved', status: 'True', reason: 'CheckedByMinifleet', message };
  const conditions = [...(request.status?.conditions ?? []), condition];
  await client.update(
    certificateSigningRequests,
    { ...request, status: { ...request.status, conditions } },
    { subresource: 'approval' },
  );
  const words = `the request ${request.metadata.name} for a ${which} certificate was ${denied ? `denied: ${message}` : 'approved'}`;
  log.info({ request: request.metadata.name, machine: machine?.metadata.name }, words);
  if (!machine) return;
  const happened = denied
    ? ({ type: 'Warning', reason: machineReasons.RequestDenied } as const)
    : ({ type: 'Normal', reason: 'RequestApproved' } as const);
  events.record({ regarding: machine, related: request, action: 'Approve', note: words, ...happened });
}
