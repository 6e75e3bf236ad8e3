import { CataloguedError } from '@minifleet/errors';

/** An error of the catalogue with its code: what to search for. */
export function errorWords(error: unknown): string {
  if (error instanceof CataloguedError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
