import type { Duration } from '@minifleet/clock';

/**
 * Rule for the next attempt after a failure:
 * `backoff` soon, then more slowly · `after` not before that time · `untilSpecChanges` only after the spec changed ·
 * `operator` only after a person has acted (such an error has a runbook).
 */
export type Retry = 'backoff' | 'untilSpecChanges' | 'operator' | { readonly after: Duration };

/** An error of the catalogue: a stable code, a condition reason, and a message that is safe to show. */
export class CataloguedError extends Error {
  override readonly name: string;
  readonly code: string;
  readonly retry: Retry;
  readonly reason: string;

  constructor(
    definition: Pick<ErrorDefinition, 'retry' | 'reason'> & { readonly code: string },
    message: string,
    options: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.name = definition.code;
    this.code = definition.code;
    this.retry = definition.retry;
    this.reason = definition.reason;
  }
}

export interface ErrorDefinition {
  readonly retry: Retry;
  /** CamelCase, part of the API: it appears in conditions. */
  readonly reason: string;
  /** A sentence with `{name}` for each value. It names the object and the next action, and never contains a secret. */
  readonly text: string;
}

export interface ErrorFactory {
  (values?: Readonly<Record<string, string | number>>, options?: { readonly cause?: unknown }): CataloguedError;
  readonly code: string;
  readonly definition: ErrorDefinition;
}

export function defineError(code: string, definition: ErrorDefinition): ErrorFactory {
  const create = (
    values: Readonly<Record<string, string | number>> = {},
    options: { readonly cause?: unknown } = {},
  ): CataloguedError => {
    const message = definition.text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? `{${name}}`));
    return new CataloguedError({ code, ...definition }, message, options);
  };
  return Object.assign(create, { code, definition });
}

/** Message of a thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
