import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { bytesAt, decode, encode, field, frame, messagesIn } from '../../guests/agent-client/grpc-wire.ts';

import { openPodsBench } from '../testing/pods-bench.ts';
import { checkHealth, type GrpcHealthResult } from './grpc-health.ts';

interface Context {
  after(clean: () => void): void;
}

async function listen(context: Context, server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  context.after(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A gRPC server that reports the health of its services, and NOT_FOUND for unknown ones. */
function healthServer(context: Context, health: Record<string, number>): Promise<number> {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers) => void answer(stream, headers[':path'] ?? ''));
  async function answer(stream: ServerHttp2Stream, path: string): Promise<void> {
    const type = { ':status': 200, 'content-type': 'application/grpc' };
    if (path !== '/grpc.health.v1.Health/Check') return stream.respond({ ...type, 'grpc-status': '12' });
    let asked: string | undefined;
    for await (const message of messagesIn(stream)) asked = bytesAt(decode(message), 1)?.toString();
    const status = health[asked ?? ''];
    if (status === undefined) {
      return stream.respond({ ...type, 'grpc-status': '5', 'grpc-message': 'unknown service' }, { endStream: true });
    }
    stream.respond(type, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(frame(encode([field(1, status)])));
  }
  return listen(context, server);
}

const ask = (port: number, service = '', signal = AbortSignal.timeout(5_000)): Promise<GrpcHealthResult> =>
  checkHealth({ host: '127.0.0.1', port, service, signal });

test('a gRPC health check reports the status of the server and of each service', async context => {
  const port = await healthServer(context, { '': 1, db: 2 });
  assert.deepEqual(await ask(port), { ok: true, output: '' });
  assert.deepEqual(await ask(port, 'db'), { ok: false, output: 'service unhealthy (responded with "NOT_SERVING")' });
  assert.deepEqual(await ask(port, 'mail'), { ok: false, output: 'gRPC status 5: unknown service' });
});

test('a gRPC server without the health service is distinguished from an unhealthy one', async context => {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) =>
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true }),
  );
  const { ok, output } = await ask(await listen(context, server));
  assert.deepEqual([ok, output], [false, 'the server does not implement grpc.health.v1.Health']);
});

test('a gRPC health check fails for a closed port, another protocol and a silent server', async context => {
  const gone = createSocketServer();
  const closed = await listen(context, gone);
  await new Promise(resolve => gone.close(resolve));
  await assert.rejects(ask(closed), /ECONNREFUSED/);
  const web = createHttpServer((_, response) => response.end('hello'));
  await assert.rejects(ask(await listen(context, web)));
  const silent = await listen(
    context,
    createSocketServer(socket => void socket.on('error', () => undefined).resume()),
  );
  await assert.rejects(ask(silent, '', AbortSignal.timeout(50)));
});

test('gRPC probes control readiness and restarts of a Pod', async context => {
  const health: Record<string, number> = { '': 1, ready: 2 };
  const port = await healthServer(context, health);
  await using bench = await openPodsBench({ behave: () => ({ address: '127.0.0.1' }) });
  await bench.create('one', {
    container: {
      // The network takes real time, while the clock is moved on.
      readinessProbe: { grpc: { port, service: 'ready' }, periodSeconds: 1, timeoutSeconds: 600 },
      livenessProbe: { grpc: { port }, periodSeconds: 1, timeoutSeconds: 600, failureThreshold: 1 },
    },
  });
  const soon = (condition: () => Promise<unknown>): Promise<unknown> =>
    eventually(async () => {
      await bench.advance(seconds(1));
      return condition();
    });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.until(() => bench.events.some(({ note }) => /^Readiness probe failed: service unhealthy/.test(note)));
  health['ready'] = 1;
  await soon(async () => (await bench.container('one'))?.ready);
  assert.equal(bench.guests.started.length, 1);
  health[''] = 2;
  await soon(async () => bench.guests.started.length > 1);
});
