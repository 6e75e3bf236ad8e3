import { CataloguedError, type ErrorFactory } from '@minifleet/errors';

/** Whether an error is that one of the catalogue. */
export const hasCode = (error: unknown, { code }: ErrorFactory): boolean =>
  error instanceof CataloguedError && error.code === code;
