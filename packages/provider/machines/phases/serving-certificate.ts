import type { machineConditions, ReasonOf } from '@minifleet/api';
import { type CertificateSigningRequest, isConditionTrue, type Node } from '@minifleet/kube';
import { type PhaseEnd, passed, phase, waiting } from '../phase.ts';

type End = PhaseEnd<ReasonOf<typeof machineConditions, 'ServingCertificateReady'>>;

/** Whether the agent can serve logs and exec. The cluster forgets what it asked for after an hour; what it says of itself stays. */
export const servingCertificateReady = phase('ServingCertificateReady', async ({ samm, node }, { join }) =>
  judgeCertificate({
    requests: join.servingRequests(samm),
    agent: node?.status?.conditions?.find(({ type }) => type === 'CertificatesReady'),
    held: isConditionTrue(samm, 'ServingCertificateReady'),
  }),
);

type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

export interface CertificateView {
  readonly requests: readonly CertificateSigningRequest[];
  /** The agent's own condition CertificatesReady; undefined before it reported, and of an older agent. */
  readonly agent: Pick<NodeCondition, 'status' | 'message'> | undefined;
  /** Whether the condition held when last looked at. */
  readonly held: boolean;
}

export function judgeCertificate({ requests, agent, held }: CertificateView): End {
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

const conditionOf = ({ status }: CertificateSigningRequest, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

/** By name among those of one second: the order must not change from look to look. */
function byAge({ metadata: one }: CertificateSigningRequest, { metadata: other }: CertificateSigningRequest): number {
  const [a, b] = [one, other].map(({ creationTimestamp = '', name }) => `${creationTimestamp} ${name}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
