import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { errorText } from '@minifleet/cli';

/** An order by name: what it is told with, and how it tells what comes of it, a line each. */
export type Order = (request: unknown, tell: (line: unknown) => void, signal: AbortSignal) => Promise<void>;

export interface ControlServer {
  close(): Promise<void>;
}

/** Takes orders on a socket in a folder that only its owner enters: who may write there may also kill us. */
export async function startControlServer(
  socket: string,
  orders: Readonly<Record<string, Order>>,
): Promise<ControlServer> {
  const server = createServer((request, response) => void answer(request, response, orders));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  return {
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  orders: Readonly<Record<string, Order>>,
): Promise<void> {
  const order = orders[(request.url ?? '').slice(1)];
  if (!order) return void response.writeHead(404).end();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const tell = (line: unknown): void => void response.write(`${JSON.stringify(line)}\n`);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders();
  try {
    await order(JSON.parse((await text(request)) || 'null'), tell, gone.signal);
  } catch (error) {
    tell({ failed: errorText(error) });
  }
  response.end();
}
