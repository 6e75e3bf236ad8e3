import { type IncomingMessage, request } from 'node:http';
import type { Running } from './running-file.ts';

export interface GiveOrderOptions {
  readonly running: Pick<Running, 'control'>;
  readonly order: string;
  readonly with?: unknown;
  readonly signal?: AbortSignal;
}

/** Gives the running `up` an order and yields what it tells, a line each; undefined when nobody answers any more. */
export async function giveOrder<Line>({
  running,
  order,
  with: body,
  signal,
}: GiveOrderOptions): Promise<AsyncIterable<Line> | undefined> {
  const call = request({ socketPath: running.control, path: `/${order}`, method: 'POST', agent: false, signal });
  const answered = new Promise<AsyncIterable<Line> | undefined>((resolve, reject) => {
    call.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error),
    );
    call.once('response', response => resolve(linesOf(response)));
  });
  call.end(body === undefined ? '' : JSON.stringify(body));
  return answered;
}

async function* linesOf<Line>(response: IncomingMessage): AsyncIterable<Line> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}
