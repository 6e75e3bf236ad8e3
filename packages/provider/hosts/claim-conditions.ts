import { type HostState, hostConditions, hostReasons, type InfraMachine, type MacHost } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { type ConditionNote, keyOf, keyString, setCondition } from '@minifleet/kube';
import { isQuarantined } from './failure-record.ts';
import { vendorNameState } from './vendor-name.ts';

export interface ClaimView {
  readonly host: MacHost;
  readonly consumer: InfraMachine | undefined;
  /** Other machines that name this host (I13). */
  readonly others: readonly InfraMachine[];
  readonly clusterId: string;
  readonly now: number;
}

/** Conditions that follow from the claim and from what the vendor shows. */
export const claimConditions = (view: ClaimView): ConditionNote[] => [
  claimedCondition(view),
  nameCondition(view.host),
  quarantinedCondition(view),
];

function claimedCondition({ host, consumer, others, clusterId }: ClaimView): ConditionNote {
  const { consumerRef, clusterID = clusterId } = host.spec;
  const no = (reason: string, message: string): ConditionNote => ({
    type: 'Claimed',
    status: 'False',
    reason,
    message,
  });
  if (!consumerRef) return no(hostReasons.NotClaimed, 'no machine holds the host');
  const name = `${consumerRef.namespace}/${consumerRef.name}`;
  if (clusterID !== clusterId)
    return no(hostReasons.HeldByOtherCluster, `${name} of the cluster ${clusterID} holds the host`);
  if (!consumer) return no(hostReasons.ConsumerMissing, `the machine ${name} (UID ${consumerRef.uid}) does not exist`);
  if (others.length > 0) {
    const named = others.map(other => keyString(keyOf(other))).toSorted();
    return no(hostReasons.MultipleConsumers, `${name} holds the host; ${named.join(', ')} also names it and is fenced`);
  }
  return { type: 'Claimed', status: 'True', reason: hostReasons.HeldByMachine, message: name };
}

function nameCondition(host: MacHost): ConditionNote {
  const { spec, status } = host;
  const yes = (reason: string): ConditionNote => ({ type: 'NameMirrored', status: 'True', reason });
  const no = (reason: string, message: string): ConditionNote => ({
    type: 'NameMirrored',
    status: 'False',
    reason,
    message,
  });
  if (spec.source.owned) return yes(hostReasons.NotRented);
  if (status?.state === 'Missing') return no(hostReasons.HostMissing, 'the server no longer exists at the vendor');
  if (!spec.consumerRef) return no(hostReasons.NotClaimed, 'no machine holds the host');
  const name = status?.vendorName;
  if (name === undefined) return no(hostReasons.RenamePending, 'not checked yet');
  const state = vendorNameState(name, host);
  if (state === 'foreign') return no(hostReasons.NameTaken, `the server is named ${name} at the vendor`);
  return state === 'mirrored' ? yes(hostReasons.NameMirrored) : no(hostReasons.RenamePending, `still ${name}`);
}

function quarantinedCondition({ host, now }: ClaimView): ConditionNote {
  const { spec, status } = host;
  const yes = (reason: string, message: string): ConditionNote => ({
    type: 'Quarantined',
    status: 'True',
    reason,
    message,
  });
  if (spec.quarantine) {
    const retained = spec.quarantine.reason.startsWith('Retained by ');
    return yes(retained ? hostReasons.Retained : hostReasons.OperatorRequest, spec.quarantine.reason);
  }
  const { quarantine } = status ?? {};
  if (!quarantine || !isQuarantined(host, now))
    return { type: 'Quarantined', status: 'False', reason: hostReasons.NotQuarantined };
  const until = quarantine.until ?? `an operator runs minifleet release ${host.metadata.name}`;
  return yes(hostReasons.FailedTooOften, `until ${until}; failures: ${quarantine.reasons.join(', ')}`);
}

interface FailedHandler {
  readonly error: unknown;
  readonly clock: Clock;
}

/** Conditions that the handlers set, in the order in which a host passes them. */
const PASSED = ['NameMirrored', 'CredentialsReady', 'HostBootstrapped'] as const;

/**
 * Reports an error that the handler of a state threw: in Ready, and in the condition whose reasons include that of the error. Only messages
 * of the catalogue are shown: other messages may quote a host or a server, and the log has them.
 */
export function noteFailure(host: MacHost, state: HostState, { error, clock }: FailedHandler): void {
  const known = error instanceof CataloguedError;
  const message = known ? error.message : hostConditions.HostBootstrapped.reasons.InternalError;
  const no = (type: string, reason: string): ConditionNote => ({ type, status: 'False', reason, message });
  setCondition(host, { ...no('Ready', hostReasons.NotReady), message: `${state}: ${message}` }, clock);
  if (!host.spec.consumerRef || state === 'Releasing') return;
  const reason = known ? reasonOf(error) : hostReasons.InternalError;
  const type = PASSED.find(condition => Object.hasOwn(hostConditions[condition].reasons, reason));
  if (known && type !== undefined) setCondition(host, no(type, reason), clock);
  else
    setCondition(host, no(state === 'Claimed' ? 'NameMirrored' : 'HostBootstrapped', hostReasons.InternalError), clock);
}

/** Reasons with which a vendor refuses a call. */
const REFUSALS: ReadonlySet<string> = new Set(['VendorRefused', 'VendorRejected', 'VendorCannot']);

const reasonOf = ({ reason }: CataloguedError): string =>
  REFUSALS.has(reason) ? hostReasons.VendorUnavailable : reason;
