/** Requests from other `minifleet` commands to the running `up`, over a Unix socket. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { errorText } from '@minifleet/cli';

/** Handles one kind of request, and reports its progress line by line. */
export type ControlHandler = (body: unknown, report: (line: unknown) => void, signal: AbortSignal) => Promise<void>;

interface ControlServer {
  close(): Promise<void>;
}

/** Serves requests on a socket in a folder that only its owner can open. A user who can write there can also kill the process. */
export async function startControlServer(
  socket: string,
  handlers: Readonly<Record<string, ControlHandler>>,
): Promise<ControlServer> {
  const server = createServer((incoming, response) => void handle(incoming, response, handlers));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  return {
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  handlers: Readonly<Record<string, ControlHandler>>,
): Promise<void> {
  const handler = handlers[(incoming.url ?? '').slice(1)];
  if (!handler) return void response.writeHead(404).end();
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const report = (line: unknown): void => void response.write(`${JSON.stringify(line)}\n`);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders();
  try {
    await handler(JSON.parse((await text(incoming)) || 'null'), report, disconnected.signal);
  } catch (error) {
    report({ failed: errorText(error) });
  }
  response.end();
}

interface ControlRequestOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Sends a request and yields the reported lines; undefined if no process serves the socket. */
export async function sendControlRequest<Line>(
  socket: string,
  name: string,
  { body, signal }: ControlRequestOptions = {},
): Promise<AsyncIterable<Line> | undefined> {
  const call = request({ socketPath: socket, path: `/${name}`, method: 'POST', agent: false, signal });
  const response = new Promise<AsyncIterable<Line> | undefined>((resolve, reject) => {
    call.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error),
    );
    call.once('response', received => resolve(linesOf(received)));
  });
  call.end(body === undefined ? '' : JSON.stringify(body));
  return response;
}

async function* linesOf<Line>(response: IncomingMessage): AsyncIterable<Line> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}
