import type { Chance } from '../../chance.ts';

const DOCUMENTATION = 'https://docs.github.com/rest';

/** An error response of GitHub. */
export class GithubApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    message: string,
    more: { readonly headers?: Record<string, string>; readonly details?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = more.headers ?? {};
    this.details = more.details ?? {};
  }

  /** `status` repeats the code as a string: observed in responses since 2024. */
  get body(): Record<string, unknown> {
    return {
      message: this.message,
      ...this.details,
      documentation_url: this.details['documentation_url'] ?? DOCUMENTATION,
      status: String(this.status),
    };
  }
}

export const notFound = (): GithubApiError => new GithubApiError(404, 'Not Found');
export const badCredentials = (): GithubApiError => new GithubApiError(401, 'Bad credentials');
export const notAccessible = (): GithubApiError => new GithubApiError(403, 'Resource not accessible by integration');

/** Creates a request id such as `D4D9:3FFD74:646B4F8:1A91A34E:697840D8`, which GitHub's support asks for. */
export const requestId = (chance: Chance): string =>
  [4, 6, 7, 8, 8].map(length => chance.hex(length).toUpperCase()).join(':');
