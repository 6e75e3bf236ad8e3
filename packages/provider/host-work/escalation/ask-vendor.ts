import { CataloguedError } from '@minifleet/errors';

/** What the vendor refused with; undefined when it did what was asked. */
export async function refusalOf(ask: () => Promise<void>): Promise<CataloguedError | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (error instanceof CataloguedError) return error;
    throw error;
  }
}
