import { CataloguedError, type ErrorFactory } from '@minifleet/errors';
import { RequestError } from 'octokit';
import { FORGE_BUSY, FORGE_REFUSED, FORGE_REJECTED, FORGE_UNAVAILABLE } from '../errors.ts';

export const GITHUB = 'github';

export interface Asked {
  readonly call: string;
  readonly account: string;
  /** By its id. */
  readonly app: string;
}

/** What a failure of Octokit means. Its own error stays as the cause: it has the token taken out of its headers. */
export function judgeFailure(asked: Asked, failure: unknown): CataloguedError {
  if (failure instanceof CataloguedError) return failure;
  return definitionOf(failure)({ forge: GITHUB, ...asked, why: whyOf(failure) }, { cause: failure });
}

function definitionOf(failure: unknown): ErrorFactory {
  if (!(failure instanceof RequestError) || !failure.response) return FORGE_UNAVAILABLE;
  const { status } = failure;
  if (isLimit(failure)) return FORGE_BUSY;
  // An organisation that the App may not see is not found.
  if (status === 401 || status === 403 || status === 404) return FORGE_REFUSED;
  return status >= 400 && status < 500 && status !== 408 ? FORGE_REJECTED : FORGE_UNAVAILABLE;
}

/** Both kinds of limits come with 403 as well as with 429, and a 403 may be a matter of rights, too. */
function isLimit({ status, message, response }: RequestError): boolean {
  if (status === 429) return true;
  const { 'retry-after': retryAfter, 'x-ratelimit-remaining': remaining } = response?.headers ?? {};
  return status === 403 && (retryAfter !== undefined || String(remaining) === '0' || /rate limit/i.test(message));
}

/** One line, without what a gateway put in the place of an answer. */
function whyOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'an unknown failure';
  if (failure instanceof RequestError && failure.response) {
    return typeof failure.response.data === 'object'
      ? brief(failure.message)
      : `status ${failure.status} and no answer of its API`;
  }
  return brief(failure.message);
}

/** GitHub puts an address of its manual behind every message. */
const brief = (text: string): string =>
  text
    .replace(/ - https:\/\/docs\.github\.com\S*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 200);

export const statusOf = (failure: unknown): number | undefined =>
  failure instanceof RequestError && failure.response ? failure.status : undefined;
