import { CataloguedError } from '@minifleet/errors';

/** An error as a label: words of the catalogue only, for whatever else it is called would make a series of its own. */
export const reasonOf = (error: unknown): string => (error instanceof CataloguedError ? error.reason : 'InternalError');
