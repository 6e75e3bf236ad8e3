/** The forge's door for processes (github/README.md), as a runner behind its configuration sees it. */
export interface Door {
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
}

interface AskOptions {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Nobody answered, or only with trouble of its own: worth another try. In .NET's words. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export interface DoorPlace {
  readonly serverUrl: string;
  readonly clientId: string;
}

export function openDoor({ serverUrl, clientId }: DoorPlace): Door {
  return {
    async ask(method, path, { body, signal } = {}) {
      const { status, text } = await send(serverUrl + path, {
        method,
        headers: { authorization: `Bearer ${clientId}`, 'user-agent': 'actions-runner' },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
      if (status === 429 || status >= 500) {
        throw new Unreachable(`Response status code does not indicate success: ${status}`);
      }
      return { status, body: parsed(text) };
    },
  };
}

function parsed(text: string): Answer['body'] {
  try {
    return (text === '' ? {} : JSON.parse(text)) as Answer['body'];
  } catch {
    throw new Unreachable('An error occurred while sending the request.');
  }
}

/** An aborted question is told as such, not as a line that broke. */
async function send(url: string, request: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    request.signal?.throwIfAborted();
    throw new Unreachable(wordsFor(error, new URL(url)));
  }
}

function wordsFor(error: unknown, { hostname, port }: URL): string {
  const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ECONNREFUSED') return `Connection refused (${hostname}:${port})`;
  return 'An error occurred while sending the request.';
}
