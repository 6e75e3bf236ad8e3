import { type ClientHttp2Session, type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { type Clock, type Duration, formatDuration, seconds } from '@minifleet/clock';
import { ConnectionError } from './api-error.ts';
import type { Credentials } from './credentials.ts';
import { SessionSlot } from './http2-session.ts';
import { splitLines } from './split-lines.ts';
import { type ApiRequest, type ApiResponse, type ApiStream, pathWithQuery, type Transport } from './transport.ts';

export interface Http2TransportOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly userAgent?: string;
  readonly requestTimeout?: Duration;
  readonly connectTimeout?: Duration;
  readonly pingInterval?: Duration;
  readonly pingTimeout?: Duration;
}

/**
 * Talks to a real API server over two HTTP/2 connections: one for requests and one for watches, so that a watch whose
 * reader is slow cannot hold back a request.
 */
export function createHttp2Transport(options: Http2TransportOptions): Transport {
  const { credentials, clock } = options;
  const slotOptions = {
    server: credentials.server,
    clock,
    connectTimeout: options.connectTimeout ?? seconds(10),
    pingInterval: options.pingInterval ?? seconds(10),
    pingTimeout: options.pingTimeout ?? seconds(10),
    tls: () => credentials.tls(),
  };
  const requests = new SessionSlot(slotOptions);
  const watches = new SessionSlot(slotOptions);

  async function start(slot: SessionSlot, request: ApiRequest): Promise<ClientHttp2Stream> {
    request.signal?.throwIfAborted();
    const [session, authorization] = await Promise.all([slot.session(), credentials.authorization()]);
    return openStream(session, request, {
      ...(authorization ? { authorization } : {}),
      'user-agent': options.userAgent ?? 'minifleet',
    });
  }

  return {
    async send(request) {
      const stream = await start(requests, request);
      const timeout = request.timeout ?? options.requestTimeout ?? seconds(30);
      const deadline = clock.after(timeout, () => {
        stream.destroy(new Error(`no answer within ${formatDuration(timeout)}`));
      });
      try {
        return await readAnswer(stream, request);
      } finally {
        deadline.cancel();
      }
    },
    async open(request) {
      const stream = await start(watches, request);
      // The headers of a watch come at once, even when no event does: waiting for them is bounded like any request.
      const deadline = clock.after(request.timeout ?? seconds(30), () =>
        stream.destroy(new Error('no answer to the watch request')),
      );
      try {
        const headers = await responseHeaders(stream, request);
        return asLines(stream, headers, request);
      } finally {
        deadline.cancel();
      }
    },
    async close() {
      await Promise.all([requests.close(), watches.close()]);
    },
  };
}

function openStream(
  session: ClientHttp2Session,
  request: ApiRequest,
  extra: Record<string, string>,
): ClientHttp2Stream {
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const stream = session.request(
    {
      ':method': request.method,
      ':path': pathWithQuery(request),
      accept: request.accept ?? 'application/json',
      ...extra,
      ...(body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
    },
    { endStream: body === undefined, ...(request.signal ? { signal: request.signal } : {}) },
  );
  if (body !== undefined) stream.end(body);
  return stream;
}

function responseHeaders(stream: ClientHttp2Stream, request: ApiRequest): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve);
    stream.once('error', cause => reject(lost(request, stream, cause)));
    stream.once('close', () => reject(lost(request, stream, undefined)));
  });
}

async function readAnswer(stream: ClientHttp2Stream, request: ApiRequest): Promise<ApiResponse> {
  const headers = await responseHeaders(stream, request);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch (cause) {
    throw lost(request, stream, cause);
  }
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw lost(request, stream, undefined);
  return { ...plain(headers), body: Buffer.concat(chunks).toString('utf8') };
}

function asLines(stream: ClientHttp2Stream, headers: IncomingHttpHeaders, request: ApiRequest): ApiStream {
  stream.on('error', () => undefined); // the reader of the lines gets the error
  let closed = false;
  // What the reader itself has given up is not lost.
  const givenUp = (): boolean => closed || request.signal?.aborted === true;
  async function* lines(): AsyncGenerator<string> {
    try {
      yield* splitLines(stream);
    } catch (cause) {
      if (!givenUp()) throw lost(request, stream, cause);
    }
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && !givenUp()) throw lost(request, stream, undefined);
  }
  const close = (): void => {
    closed = true;
    stream.close(constants.NGHTTP2_CANCEL);
  };
  return { ...plain(headers), lines: lines(), close };
}

const plain = (headers: IncomingHttpHeaders): Pick<ApiResponse, 'status' | 'headers'> => ({
  status: Number(headers[':status'] ?? 0),
  headers: headers as Record<string, string>,
});

/** The caller's own abort keeps its reason; everything else is a connection that did not bring the answer. */
function lost(request: ApiRequest, stream: ClientHttp2Stream, cause: unknown): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  const why = cause instanceof Error ? cause.message : `stream closed with HTTP/2 code ${stream.rstCode}`;
  return new ConnectionError(`${request.method} ${request.path}: connection lost: ${why}`, {
    cause,
    // A server that shuts down refuses streams that it has not processed. They are safe to retry.
    unsent: stream.rstCode === constants.NGHTTP2_REFUSED_STREAM,
  });
}
