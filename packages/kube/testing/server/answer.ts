import type { ApiResponse } from '../../client/transport.ts';
import { Refusal } from './refusal.ts';
import { PageNotFound } from './route.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };

export const answer = (status: number, body: unknown): ApiResponse => ({
  status,
  headers: JSON_HEADERS,
  body: JSON.stringify(body),
});

export const answerText = (status: number, body: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

/** Runs a verb and converts an API error into its Status. Any other error is a bug of this server and is rethrown. */
export function answering(verb: () => ApiResponse): ApiResponse {
  try {
    return verb();
  } catch (error) {
    if (error instanceof PageNotFound) return answerText(error.code, `${error.message}\n`);
    if (error instanceof Refusal) return answer(error.code, error.status);
    throw error;
  }
}
