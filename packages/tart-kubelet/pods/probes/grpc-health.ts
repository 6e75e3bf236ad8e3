import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { isIPv6 } from 'node:net';
import { decode, encode, field, frame, messagesIn, numberAt } from '../../guests/agent-client/grpc-wire.ts';

interface GrpcHealthCheck {
  readonly host: string;
  readonly port: number;
  /** Empty: the health of the whole server. */
  readonly service: string;
  readonly signal: AbortSignal;
}

export interface GrpcHealthResult {
  readonly ok: boolean;
  readonly output: string;
}

/** `grpc.health.v1.Health/Check`, and the names of `ServingStatus` by number. */
const CHECK = '/grpc.health.v1.Health/Check';
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const UNIMPLEMENTED = '12';

/** Checks the health of a gRPC server without TLS, as kubelet does; throws if the server is unreachable. */
export async function checkHealth({ host, port, service, signal }: GrpcHealthCheck): Promise<GrpcHealthResult> {
  const session = connect(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`);
  const giveUp = (): void => session.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    const broken = new Promise<never>((_, reject) => {
      session.on('error', reject);
    });
    const health = await Promise.race([ask(session, service), broken]);
    // An aborted response is otherwise indistinguishable from an incomplete one.
    signal.throwIfAborted();
    return health;
  } finally {
    signal.removeEventListener('abort', giveUp);
    session.destroy();
  }
}

async function ask(session: ClientHttp2Session, service: string): Promise<GrpcHealthResult> {
  const headers = { ':method': 'POST', ':path': CHECK, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request(headers, { endStream: false });
  let ending: IncomingHttpHeaders = {};
  // An error comes at once in the headers; otherwise the status is in the trailers.
  for (const part of ['response', 'trailers'] as const) {
    stream.on(part, (fields: IncomingHttpHeaders) => {
      ending = { ...ending, ...fields };
    });
  }
  stream.end(frame(encode([field(1, service)])));
  let answer: Buffer | undefined;
  for await (const message of messagesIn(stream)) answer ??= message;
  return judge(ending, answer);
}

function judge(ending: IncomingHttpHeaders, answer: Buffer | undefined): GrpcHealthResult {
  const code = ending['grpc-status'];
  if (code === UNIMPLEMENTED) return { ok: false, output: 'the server does not implement grpc.health.v1.Health' };
  if (code === undefined) return { ok: false, output: 'the server does not speak gRPC' };
  if (code !== '0' || !answer)
    return { ok: false, output: `gRPC status ${String(code)}: ${String(ending['grpc-message'] ?? '')}` };
  const status = numberAt(decode(answer), 1);
  const output = `service unhealthy (responded with "${STATUSES[status] ?? status}")`;
  return status === STATUSES.indexOf('SERVING') ? { ok: true, output: '' } : { ok: false, output };
}
