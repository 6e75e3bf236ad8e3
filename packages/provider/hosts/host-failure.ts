import { type HostState, hostConditions, hostReasons, type MacHost } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { type ConditionNote, setCondition } from '@minifleet/kube';

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
