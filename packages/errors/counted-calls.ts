import { CataloguedError } from './define-error.ts';

/** Value of a metric label for an error: only reasons of the catalogue, because free text would create unbounded series. */
export const reasonOf = (error: unknown): string => (error instanceof CataloguedError ? error.reason : 'InternalError');

/** Wraps calls to an external service: `report` gets `ok` or the reason of the error after each call. */
export const countedCalls =
  (report: (call: string, outcome: string) => void) =>
  <A extends readonly unknown[], R>(call: string, send: (...given: A) => Promise<R>) =>
  async (...given: A): Promise<R> => {
    try {
      const result = await send(...given);
      report(call, 'ok');
      return result;
    } catch (error) {
      report(call, outcomeOf(error));
      throw error;
    }
  };

const outcomeOf = (error: unknown): string =>
  error instanceof DOMException && error.name === 'AbortError' ? 'Aborted' : reasonOf(error);
