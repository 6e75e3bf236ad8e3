import assert from 'node:assert/strict';
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { milliseconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { createCertificateAuthority } from '@minifleet/local-cluster/testing/pki';
import { startStallableProxy } from '../testing/stallable-proxy.ts';
import { ConnectionError } from './api-error.ts';
import { createCredentials } from './credentials.ts';
import { createHttp2Transport, type Http2TransportOptions } from './http2-transport.ts';
import type { Transport } from './transport.ts';

const authority = createCertificateAuthority('test');
const serving = authority.issue({ commonName: 'server', usages: ['server'], addresses: ['127.0.0.1'] });
const tls = { key: serving.privateKey, cert: serving.certificate };
const cleanUps: (() => unknown)[] = [];
after(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const listen = (server: NetServer): Promise<number> =>
  new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

interface Server {
  readonly port: number;
  readonly sessions: ServerHttp2Session[];
  readonly paths: string[];
}

async function serve(answer: (stream: ServerHttp2Stream, path: string) => void): Promise<Server> {
  const server = createSecureServer(tls);
  const sessions: ServerHttp2Session[] = [];
  const paths: string[] = [];
  server.on('session', session => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    paths.push(headers[':path'] ?? '');
    answer(stream, headers[':path'] ?? '');
  });
  const port = await listen(server);
  cleanUps.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { port, sessions, paths };
}

function connectTo(port: number, options: Partial<Http2TransportOptions> & { ca?: string } = {}): Transport {
  const sources = {
    server: new URL(`https://127.0.0.1:${port}`),
    authority: { data: options.ca ?? authority.certificate },
  };
  const credentials = createCredentials(sources, systemClock);
  const transport = createHttp2Transport({ clock: systemClock, credentials, ...options });
  cleanUps.push(() => transport.close());
  return transport;
}

const ok = (stream: ServerHttp2Stream): void => {
  stream.respond({ ':status': 200 });
  stream.end('{}');
};
const get = { method: 'GET', path: '/' } as const;

describe('the HTTP/2 transport', () => {
  test('the HTTP/2 transport sends many requests over one connection', async () => {
    const server = await serve(ok);
    const transport = connectTo(server.port);
    await Promise.all(Array.from({ length: 50 }, () => transport.send(get)));
    assert.equal(server.sessions.length, 1);
  });

  test('the HTTP/2 transport reconnects after GOAWAY and still receives pending responses', async () => {
    const held: ServerHttp2Stream[] = [];
    const server = await serve((stream, path) => (path === '/held' ? held.push(stream) : ok(stream)));
    const transport = connectTo(server.port);
    const pending = transport.send({ method: 'GET', path: '/held' });
    await eventually(() => held.length === 1);
    server.sessions[0]?.goaway();
    await eventually(async () => {
      await transport.send(get);
      return server.sessions.length === 2;
    });
    for (const stream of held) ok(stream);
    assert.equal((await pending).status, 200);
  });

  test('the HTTP/2 transport detects a silent connection by ping, and its watch ends with an error', async () => {
    const server = await serve(stream => {
      stream.respond({ ':status': 200 });
      stream.write('one\n');
    });
    const proxy = await startStallableProxy(server.port);
    cleanUps.push(() => proxy.close());
    const transport = connectTo(proxy.port, { pingInterval: milliseconds(50), pingTimeout: milliseconds(200) });
    const stream = await transport.open(get);
    const lines = stream.lines[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, 'one');
    proxy.stall(); // both ends keep their sockets, the kernel acknowledges everything, and nothing arrives
    await assert.rejects(
      lines.next(),
      error => error instanceof ConnectionError && /connection lost/.test(error.message),
    );
  });

  test('a request without a response within its timeout is a connection error', async () => {
    const server = await serve(() => undefined);
    const transport = connectTo(server.port, { requestTimeout: milliseconds(100) });
    await assert.rejects(transport.send(get), /GET \/: connection lost: no answer within 100ms/);
  });

  test('an aborted HTTP/2 request rejects with the reason of its signal', async () => {
    const server = await serve(() => undefined);
    const stop = new AbortController();
    const sent = connectTo(server.port).send({ ...get, signal: stop.signal });
    await eventually(() => server.paths.length === 1);
    stop.abort(new Error('enough'));
    await assert.rejects(sent, /enough/);
  });

  test('a watch whose server is killed fails instead of ending', async () => {
    const server = await serve(stream => {
      stream.respond({ ':status': 200 });
      stream.write('one\n', () => stream.session?.destroy());
    });
    const stream = await connectTo(server.port).open(get);
    await assert.rejects(Array.fromAsync(stream.lines), ConnectionError);
  });

  test('a closed HTTP/2 transport rejects requests', async () => {
    const server = await serve(ok);
    const transport = connectTo(server.port);
    await transport.send(get);
    await transport.close();
    await assert.rejects(transport.send(get), /the client is closed/);
  });
});

describe('a connection that cannot be made says why', () => {
  test('a connection error reports that nothing listens on the port of the API server', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise(resolve => server.close(resolve));
    await assert.rejects(connectTo(port).send(get), /connection refused; check that the cluster is running/);
  });

  test('a connection error reports a certificate signed by another authority', async () => {
    const server = await serve(ok);
    const other = createCertificateAuthority('other').certificate;
    await assert.rejects(
      connectTo(server.port, { ca: other }).send(get),
      /not signed by the kubeconfig's 'certificate-authority'/,
    );
  });

  test('a connection error reports a host name that does not resolve', async () => {
    const credentials = createCredentials({ server: new URL('https://no-such-host.invalid:6443') }, systemClock);
    const transport = createHttp2Transport({ clock: systemClock, credentials });
    await assert.rejects(transport.send(get), /the host name does not resolve; check 'server' in the kubeconfig/);
  });

  test('a connection error reports a server without HTTP/2', async () => {
    const server = createHttpsServer(tls, (_, response) => void response.end('{}'));
    const port = await listen(server);
    cleanUps.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    await assert.rejects(connectTo(port).send(get), /the server does not support HTTP\/2 over TLS/);
  });

  test('a connection to a silent server times out', async () => {
    const sockets: Socket[] = [];
    const server = createServer(socket => void sockets.push(socket));
    const port = await listen(server);
    cleanUps.push(
      () => sockets.map(socket => socket.destroy()),
      () => server.close(),
    );
    await assert.rejects(connectTo(port, { connectTimeout: milliseconds(100) }).send(get), /no answer within 100ms/);
  });
});
