/** Simulated GitHub API for runner processes (github/README.md), accessed with the runner's configuration. */
export interface RunnerApi {
  request(method: string, path: string, options?: RunnerApiRequest): Promise<RunnerApiResponse>;
}

interface RunnerApiRequest {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface RunnerApiResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** No response, or a server error; worth a retry. The messages are .NET's. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

export interface RunnerApiAddress {
  readonly serverUrl: string;
  readonly clientId: string;
}

export function connectRunnerApi({ serverUrl, clientId }: RunnerApiAddress): RunnerApi {
  return {
    async request(method, path, { body, signal } = {}) {
      const { status, text } = await send(serverUrl + path, {
        method,
        headers: { authorization: `Bearer ${clientId}`, 'user-agent': 'actions-runner' },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
      if (status === 429 || status >= 500) {
        throw new UnreachableError(`Response status code does not indicate success: ${status}`);
      }
      return { status, body: parsed(text) };
    },
  };
}

function parsed(text: string): RunnerApiResponse['body'] {
  try {
    return (text === '' ? {} : JSON.parse(text)) as RunnerApiResponse['body'];
  } catch {
    throw new UnreachableError('An error occurred while sending the request.');
  }
}

/** Reports an aborted request as aborted instead of as a broken connection. */
async function send(url: string, request: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    request.signal?.throwIfAborted();
    throw new UnreachableError(wordsFor(error, new URL(url)));
  }
}

function wordsFor(error: unknown, { hostname, port }: URL): string {
  const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ECONNREFUSED') return `Connection refused (${hostname}:${port})`;
  return 'An error occurred while sending the request.';
}
