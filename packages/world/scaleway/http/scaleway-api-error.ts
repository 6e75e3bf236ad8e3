import { timestamp } from '@minifleet/clock';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = Readonly<Record<string, JsonValue>>;

/** An error response of the vendor. The official SDKs parse the body into their error classes. */
export class ScalewayApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: JsonObject;

  constructor(status: number, body: JsonObject) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** `not_found` for an unknown token, `invalid_argument` for a malformed one (recorded by others, 2024–2026). */
export const deniedAuthentication = (reason: 'not_found' | 'invalid_argument'): ScalewayApiError =>
  new ScalewayApiError(401, {
    message: 'authentication is denied',
    method: 'api_key',
    reason,
    type: 'denied_authentication',
  });

/** The SDK renders it as `insufficient permissions: list ssh_key`. */
export const permissionsDenied = (action: string, resource: string): ScalewayApiError =>
  new ScalewayApiError(403, {
    details: [{ action, resource }],
    message: 'insufficient permissions',
    type: 'permissions_denied',
  });

export const notFound = (resource: string, id: string): ScalewayApiError =>
  new ScalewayApiError(404, { message: 'resource is not found', resource, resource_id: id, type: 'not_found' });

export const transientState = (resource: string, id: string, state: string): ScalewayApiError =>
  new ScalewayApiError(409, {
    current_state: state,
    message: 'resource is in a transient state',
    resource,
    resource_id: id,
    type: 'transient_state',
  });

/** The status is derived: no report of a locked mini is known. */
export const resourceLocked = (resource: string, id: string): ScalewayApiError =>
  new ScalewayApiError(403, { message: 'resource is locked', resource, resource_id: id, type: 'locked' });

/** Uses the vendor's text: `this server cannot be deleted before 2026-06-12 07:06:59` (tuist#10922). */
export const notDeletableBefore = (time: number): ScalewayApiError =>
  preconditionFailed(`this server cannot be deleted before ${timestamp(time).replace('T', ' ').replace('Z', '')}`);

export const preconditionFailed = (help: string): ScalewayApiError =>
  new ScalewayApiError(412, {
    help_message: help,
    message: 'precondition is not respected',
    precondition: 'unknown_precondition',
    type: 'precondition_failed',
  });

export const outOfStock = (resource: string): ScalewayApiError =>
  new ScalewayApiError(503, { message: 'resource is out of stock', resource, type: 'out_of_stock' });

/** The name of the quota is derived. */
export const quotaExceeded = (projectId: string, quota: number, current: number): ScalewayApiError =>
  new ScalewayApiError(403, {
    details: [{ current, project_id: projectId, quota, resource: 'apple_silicon_servers' }],
    message: 'quota exceeded',
    type: 'quotas_exceeded',
  });

export const invalidArgument = (
  name: string,
  reason: 'required' | 'format' | 'constraint' | 'unknown',
  help = '',
): ScalewayApiError =>
  new ScalewayApiError(400, {
    details: [{ argument_name: name, help_message: help, reason }],
    message: 'invalid argument(s)',
    type: 'invalid_arguments',
  });

export const tooManyRequests = (quota: number, windowSeconds: number, resetSeconds: number): ScalewayApiError =>
  new ScalewayApiError(429, {
    help_message: 'rate limit exceeded',
    limit: { quota, window_seconds: windowSeconds },
    message: 'too many requests',
    reset_seconds: resetSeconds,
    type: 'too_many_requests',
  });
