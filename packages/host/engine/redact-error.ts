import { inspect } from 'node:util';
import { CataloguedError } from '@minifleet/errors';
import type { Redactor } from '@minifleet/secret';

// A longer chain of causes is circular.
const DEEPEST = 8;

/** Copies an error without secrets in its message, stack and causes. */
export function redactError(error: CataloguedError, redactor: Redactor, depth = DEEPEST): CataloguedError {
  const { code, retry, reason } = error;
  const clean = new CataloguedError(
    { code, retry, reason },
    redactor.redact(error.message),
    redactCause(error, redactor, depth),
  );
  return withStackOf(error, clean, redactor);
}

/** Same for an internal error, whose message may contain anything. */
export function redactUnknownError(error: unknown, redactor: Redactor, depth = DEEPEST): Error {
  if (!(error instanceof Error)) return new Error(redactor.redact(inspect(error)));
  if (error instanceof CataloguedError) return redactError(error, redactor, depth);
  const clean = new Error(redactor.redact(error.message), redactCause(error, redactor, depth));
  clean.name = error.name;
  return withStackOf(error, clean, redactor);
}

const redactCause = ({ cause }: Error, redactor: Redactor, depth: number): { readonly cause?: unknown } =>
  cause === undefined || depth === 0 ? {} : { cause: redactUnknownError(cause, redactor, depth - 1) };

function withStackOf<E extends Error>(original: Error, clean: E, redactor: Redactor): E {
  if (original.stack !== undefined) clean.stack = redactor.redact(original.stack);
  return clean;
}
