import { CataloguedError } from '@minifleet/errors';

/** An error as a label: words of the catalogue only, for whatever else it is called would make a series of its own. */
export const reasonOf = (error: unknown): string => (error instanceof CataloguedError ? error.reason : 'InternalError');

/** Wraps calls to somebody outside: the same call, whose end is told as `ok` or the reason of its error. */
export const countedCalls =
  (tell: (call: string, outcome: string) => void) =>
  <A extends readonly unknown[], R>(call: string, ask: (...given: A) => Promise<R>) =>
  async (...given: A): Promise<R> => {
    try {
      const answer = await ask(...given);
      tell(call, 'ok');
      return answer;
    } catch (error) {
      tell(call, outcomeOf(error));
      throw error;
    }
  };

const outcomeOf = (error: unknown): string =>
  error instanceof DOMException && error.name === 'AbortError' ? 'Aborted' : reasonOf(error);
