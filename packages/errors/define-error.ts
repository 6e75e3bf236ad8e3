import type { Duration } from '@minifleet/clock';

/**
 * What a failure asks of whoever tries again:
 * `backoff` soon and then more slowly · `after` not before that time · `untilSpecChanges` only when someone changes
 * what is wanted · `operator` only when a person has acted (such an error has a runbook).
 */
export type Retry = 'backoff' | 'untilSpecChanges' | 'operator' | { readonly after: Duration };

/** An error of the catalogue: a stable code, a condition reason, a sentence that is safe to show. */
export class CataloguedError extends Error {
  override readonly name: string;
  readonly code: string;
  readonly retry: Retry;
  readonly reason: string;

  constructor(
    definition: ErrorDefinition & { readonly code: string },
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
  /** CamelCase, part of the API: it stands in conditions. */
  readonly reason: string;
  /** A sentence with `{name}` for each value; it names the object and the next action, and never a secret. */
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
