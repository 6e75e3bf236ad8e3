import { Failure } from '../failure.ts';

/** URLError: the only kind of failure a pull tries again after. */
export class UrlFailure extends Failure {
  readonly words: string;

  constructor(words: string) {
    super(`Error: ${words}`);
    this.words = words;
  }
}

/** What Foundation says for what Node reports. */
export function urlFailureOf(error: unknown): UrlFailure {
  const cause = (error as { cause?: { code?: string } }).cause;
  const code = cause?.code ?? (error as { code?: string }).code ?? '';
  if (code === 'ECONNREFUSED') return new UrlFailure('Could not connect to the server.');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new UrlFailure('A server with the specified hostname could not be found.');
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') {
    return new UrlFailure('A TLS error caused the secure connection to fail.');
  }
  return new UrlFailure('The network connection was lost.');
}
