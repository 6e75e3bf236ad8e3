import { type Duration, seconds } from '@minifleet/clock';
import type { Retry } from '@minifleet/errors';
import type { ApiRequest, ApiResponse } from './transport.ts';

/** metav1.Status: how an API server says no. */
export interface Status {
  readonly kind?: string;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly field?: string; readonly message?: string; readonly reason?: string }[];
  };
}

/** The API server answered, and the answer is an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly status: Status;
  readonly retryAfter: Duration | undefined;
  readonly retry: Retry;

  constructor(status: Status, context: { readonly asked: string; readonly retryAfter?: Duration | undefined }) {
    const reason = status.reason ?? 'Unknown';
    super(`${context.asked}: ${status.message ?? reason} (${status.code ?? 0} ${reason})`);
    this.code = status.code ?? 0;
    this.reason = reason;
    this.status = status;
    this.retryAfter = context.retryAfter;
    this.retry = context.retryAfter === undefined ? 'backoff' : { after: context.retryAfter };
  }
}

/** The API server could not be asked, or its answer never arrived: whether the request took effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** True when no byte of the request can have reached the server, so that any request may be sent again. */
  readonly unsent: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly unsent?: boolean } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.unsent = options.unsent ?? false;
  }
}

const isApiError = (error: unknown, code: number): error is ApiError =>
  error instanceof ApiError && error.code === code;

export const isNotFound = (error: unknown): boolean => isApiError(error, 404);
export const isConflict = (error: unknown): boolean => isApiError(error, 409) && error.reason === 'Conflict';
export const isAlreadyExists = (error: unknown): boolean => isApiError(error, 409) && error.reason === 'AlreadyExists';
/** The resourceVersion or continue token is older than what the server still keeps: list again. */
export const isGone = (error: unknown): boolean => isApiError(error, 410);
export const isInvalid = (error: unknown): boolean => isApiError(error, 422);
export const isForbidden = (error: unknown): boolean => isApiError(error, 403);
/** Nothing listens where the server should be. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ConnectionError && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED';

/** The error an answer stands for; a body that is no Status (a proxy's HTML page) is quoted in short. */
export function errorFromResponse(request: ApiRequest, response: ApiResponse): ApiError {
  const asked = `${request.method} ${request.path}`;
  const retryAfter = retryAfterOf(response);
  const parsed = parseStatus(response.body);
  const status = parsed ?? { code: response.status, reason: 'Unknown', message: response.body.slice(0, 200) };
  return new ApiError({ ...status, code: status.code ?? response.status }, { asked, retryAfter });
}

export function retryAfterOf(response: Pick<ApiResponse, 'headers'>): Duration | undefined {
  const header = Number(response.headers['retry-after']);
  return Number.isFinite(header) && header >= 0 && response.headers['retry-after'] ? seconds(header) : undefined;
}

function parseStatus(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && (value as Status).kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}
