import { CataloguedError, type ErrorFactory } from '@minifleet/errors';
import { RequestError } from 'octokit';
import { FORGE_BUSY, FORGE_REFUSED, FORGE_REJECTED, FORGE_UNAVAILABLE } from '../errors.ts';

export const GITHUB = 'github';

export interface GithubCall {
  readonly call: string;
  readonly account: string;
  /** ID of the GitHub App. */
  readonly app: string;
}

/** Maps a failure of Octokit to the catalogue. Octokit redacts the token in its own error, which is kept as the cause. */
export function judgeFailure(call: GithubCall, failure: unknown): CataloguedError {
  if (failure instanceof CataloguedError) return failure;
  return definitionOf(failure)({ forge: GITHUB, ...call, why: whyOf(failure) }, { cause: failure });
}

function definitionOf(failure: unknown): ErrorFactory {
  if (!(failure instanceof RequestError) || !failure.response) return FORGE_UNAVAILABLE;
  const { status } = failure;
  if (isLimit(failure)) return FORGE_BUSY;
  // GitHub returns 404 for an organisation that the App cannot access.
  if (status === 401 || status === 403 || status === 404) return FORGE_REFUSED;
  return status >= 400 && status < 500 && status !== 408 ? FORGE_REJECTED : FORGE_UNAVAILABLE;
}

/** Primary and secondary rate limits return 403 or 429, and a 403 may also be a missing permission. */
function isLimit({ status, message, response }: RequestError): boolean {
  if (status === 429) return true;
  const { 'retry-after': retryAfter, 'x-ratelimit-remaining': remaining } = response?.headers ?? {};
  return status === 403 && (retryAfter !== undefined || String(remaining) === '0' || /rate limit/i.test(message));
}

/** One line, without the HTML that a gateway sends in place of an API response. */
function whyOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'unknown error';
  if (failure instanceof RequestError && failure.response) {
    return typeof failure.response.data === 'object'
      ? shortMessage(failure.message)
      : `HTTP ${failure.status} without an API response`;
  }
  return shortMessage(failure.message);
}

/** Without the documentation URL that GitHub appends to every message. */
const shortMessage = (text: string): string =>
  text
    .replace(/ - https:\/\/docs\.github\.com\S*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 200);

export const statusOf = (failure: unknown): number | undefined =>
  failure instanceof RequestError && failure.response ? failure.status : undefined;
