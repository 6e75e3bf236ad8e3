import type { machineConditions, ReasonOf } from '@minifleet/api';
import { type CertificateSigningRequest, isConditionTrue, type Node } from '@minifleet/kube';
import { type PhaseEnd, passed, phase, waiting } from '../phase.ts';

type CertificateEnd = PhaseEnd<ReasonOf<typeof machineConditions, 'ServingCertificateReady'>>;

/** The agent can serve logs and exec. Kubernetes deletes its requests after an hour; its own condition stays. */
export const servingCertificateReady = phase('ServingCertificateReady', async ({ machine, node }, { join }) =>
  judgeCertificate({
    requests: join.servingRequests(machine),
    agent: node?.status?.conditions?.find(({ type }) => type === 'CertificatesReady'),
    held: isConditionTrue(machine, 'ServingCertificateReady'),
  }),
);

type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

export interface CertificateView {
  readonly requests: readonly CertificateSigningRequest[];
  /** Condition CertificatesReady of the agent; undefined before it reported, and for an older agent. */
  readonly agent: Pick<NodeCondition, 'status' | 'message'> | undefined;
  /** The condition was True at the last run. */
  readonly held: boolean;
}

export function judgeCertificate({ requests, agent, held }: CertificateView): CertificateEnd {
  const newest = requests.toSorted(byAge).at(-1);
  const name = newest?.metadata.name;
  const denial = newest && conditionOf(newest, 'Denied');
  if (newest?.status?.certificate) return passed('CertificateIssued', `issued for the request ${name}`);
  if (agent?.status === 'True') {
    const renewal = denial
      ? `the certificate is valid, but its renewal (request ${name}) was denied: ${denial.message}`
      : undefined;
    return passed('CertificateIssued', renewal ?? 'the agent has a valid certificate');
  }
  if (denial) return waiting('RequestDenied', `the request ${name} was denied: ${denial.message}`);
  const failure = newest && conditionOf(newest, 'Failed');
  if (failure) return waiting('WaitingForRequest', `the signer failed the request ${name}: ${failure.message}`);
  if (newest) return waiting('WaitingForRequest', `the request ${name} waits for ${awaited(newest)}`);
  if (agent?.status === 'False') return waiting('WaitingForRequest', `the agent has no certificate: ${agent.message}`);
  return held
    ? passed('CertificateIssued', 'the certificate was issued')
    : waiting('WaitingForRequest', 'the agent has not requested a certificate yet');
}

const awaited = (request: CertificateSigningRequest): string =>
  conditionOf(request, 'Approved')
    ? 'its signer'
    : 'approval: its names do not match the known addresses of the host yet';

const conditionOf = ({ status }: CertificateSigningRequest, type: string) =>
  status?.conditions?.find(condition => condition.type === type);

/** By name among requests of one second, because the order must be stable. */
function byAge({ metadata: one }: CertificateSigningRequest, { metadata: other }: CertificateSigningRequest): number {
  const [a, b] = [one, other].map(({ creationTimestamp = '', name }) => `${creationTimestamp} ${name}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
