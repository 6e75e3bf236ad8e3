import { type Resource, resourceName } from '../../client/resource.ts';

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

export interface RefusalOptions {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: Details;
}

/** API error, sent as a metav1.Status. The messages are those of kube-apiserver. */
export class Refusal extends Error {
  readonly code: number;
  readonly status: object;

  constructor({ code, reason, message, details }: RefusalOptions) {
    super(message);
    this.code = code;
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code };
  }
}

/** One problem of an object, with the message of the corresponding field.Error. */
export interface Problem {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

const detailsOf = (resource: Resource, name: string): Details => ({
  name,
  ...(resource.group ? { group: resource.group } : {}),
  kind: resource.plural,
});

export const notFound = (resource: Resource, name: string): Refusal =>
  new Refusal({
    code: 404,
    reason: 'NotFound',
    message: `${resourceName(resource)} "${name}" not found`,
    details: detailsOf(resource, name),
  });

export const noSuchResource = (): Refusal =>
  new Refusal({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });

export const alreadyExists = (resource: Resource, name: string): Refusal =>
  new Refusal({
    code: 409,
    reason: 'AlreadyExists',
    message: `${resourceName(resource)} "${name}" already exists`,
    details: detailsOf(resource, name),
  });

export const conflict = (resource: Resource, name: string, why: string): Refusal =>
  new Refusal({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${resourceName(resource)} "${name}": ${why}`,
    details: detailsOf(resource, name),
  });

export const modified = (resource: Resource, name: string): Refusal =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const forbidden = (resource: Resource, name: string, why: { message: string; causes: Cause[] }): Refusal =>
  new Refusal({
    code: 403,
    reason: 'Forbidden',
    message: `${resourceName(resource)} "${name}" is forbidden: ${why.message}`,
    details: { ...detailsOf(resource, name), causes: why.causes },
  });

export function invalid(
  what: { readonly group: string; readonly kind: string },
  name: string,
  problems: readonly Problem[],
): Refusal {
  const sentences = problems.map(problem => `${problem.field}: ${problem.message}`);
  const qualified = what.group ? `${what.kind}.${what.group}` : what.kind;
  return new Refusal({
    code: 422,
    reason: 'Invalid',
    message: `${qualified} "${name}" is invalid: ${sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`}`,
    details: {
      name,
      ...(what.group ? { group: what.group } : {}),
      kind: what.kind,
      causes: problems.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  });
}

export const badRequest = (message: string): Refusal => new Refusal({ code: 400, reason: 'BadRequest', message });

/** Response of the real server to an internal failure: a message without a reason. */
export const internal = (message: string): Refusal => new Refusal({ code: 500, message });

export const expired = (message: string): Refusal => new Refusal({ code: 410, reason: 'Expired', message });

export const unsupportedMediaType = (accepted: readonly string[]): Refusal =>
  new Refusal({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });

export const methodNotAllowed = (): Refusal =>
  new Refusal({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
