import { backOffDelay, type Duration, minutes, seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';

const BACK_OFF = { first: seconds(5), most: minutes(5) };
/** A person mends it in the forge or in a Secret, where no watch sees it. */
const BY_A_PERSON = minutes(5);

/** When something that failed may be tried again, by what the error asks for. */
export function retryAfter(error: unknown, failures: number): Duration {
  const retry = error instanceof CataloguedError ? error.retry : 'backoff';
  if (retry === 'backoff') return backOffDelay(BACK_OFF, failures - 1, () => 0);
  return typeof retry === 'object' ? retry.after : BY_A_PERSON;
}

/** Trouble of the whole account, as against that of one runner or one group. */
export const isOfAccount = (error: unknown): error is CataloguedError =>
  error instanceof CataloguedError &&
  ['ForgeUnavailable', 'ForgeRefused', 'ForgeCredentialsInvalid'].includes(error.reason);

/** Nothing mends it but a person who acts: in the forge, in a Secret, in the pool. */
export const needsPerson = ({ retry }: CataloguedError): boolean =>
  retry === 'operator' || retry === 'untilSpecChanges';
