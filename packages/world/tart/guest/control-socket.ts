import { rmSync } from 'node:fs';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import type { Bundle } from '../storage/bundle.ts';
import type { TartCall } from '../tart-call.ts';
import { decodeRequest, EXEC, encodeAddress, encodeResponse, RESOLVE_IP } from './agent-protocol.ts';
import type { Guest } from './guest.ts';
import type { GuestProcess } from './guest-process.ts';
import { frame, messagesIn } from './protobuf.ts';

interface ControlSocketOptions {
  readonly call: TartCall;
  readonly bundle: Bundle;
  readonly guest: Guest;
  hanging(): boolean;
}

/**
 * `control.sock`: a relay to the guest agent's vsock port. Without an agent, the connection is accepted and closed
 * immediately.
 */
export async function openControlSocket(options: ControlSocketOptions): Promise<Server> {
  const { call, bundle } = options;
  const accept = agentServer(options);
  const relay = createServer(socket => {
    socket.on('error', () => undefined);
    if (options.guest.agentUp) accept(socket);
    else socket.destroy();
  });
  rmSync(bundle.socket, { force: true });
  // A socket path is at most 104 bytes long, so it is bound by its name from within the bundle.
  call.process.changeDirectory(bundle.directory);
  await new Promise<void>((resolve, reject) => {
    relay.once('error', reject);
    relay.listen('control.sock', resolve);
  });
  return relay;
}

/** gRPC over cleartext HTTP/2 without a library, because there are only two methods. */
function agentServer(options: ControlSocketOptions): (socket: Socket) => void {
  const server = createHttp2Server();
  server.on('sessionError', () => undefined);
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    const status = { code: '0' };
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status.code }));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    // A client that disconnects breaks the stream; its command has already been killed.
    if (headers[':path'] === EXEC) serveExec(options, stream).catch(() => undefined);
    else if (headers[':path'] === RESOLVE_IP) serveAddress(options, stream);
    else {
      options.call.around.journal.unmodelled('tart', `guest agent method ${headers[':path']}`);
      status.code = UNIMPLEMENTED;
      stream.end();
    }
  });
  return socket => void server.emit('connection', socket);
}

const UNIMPLEMENTED = '12';

function serveAddress(options: ControlSocketOptions, stream: ServerHttp2Stream): void {
  stream.resume();
  if (!options.hanging()) stream.end(frame(encodeAddress(options.guest.address ?? '')));
}

/** Serves one command: the first message names it, and the end of the stream kills it. */
async function serveExec(options: ControlSocketOptions, stream: ServerHttp2Stream): Promise<void> {
  let running: GuestProcess | undefined;
  let tty = false;
  stream.on('close', () => running?.kill());
  for await (const message of messagesIn(stream)) {
    const request = decodeRequest(message);
    if (options.hanging()) continue;
    if (request.type === 'command') {
      tty = request.command.tty;
      running = options.guest.start(request.command);
      void relayOutput(running, stream);
      if (!request.command.interactive) running.stdin.end();
    } else if (request.type === 'standardInput') writeInput(running, request.data, tty);
    else running?.resize(request.size);
  }
}

function writeInput(running: GuestProcess | undefined, data: Buffer, tty: boolean): void {
  if (data.length > 0) running?.stdin.write(data);
  // A terminal has no end of input except its control character.
  else if (tty) running?.stdin.write(Buffer.from([0x04]));
  else running?.stdin.end();
}

async function relayOutput(running: GuestProcess, stream: ServerHttp2Stream): Promise<void> {
  const pump = async (source: AsyncIterable<Buffer>, type: 'standardOutput' | 'standardError'): Promise<void> => {
    for await (const data of source) stream.write(frame(encodeResponse({ type, data })));
  };
  // A process left by the command may keep its output open; the agent then waits for it as well (derived).
  await Promise.allSettled([pump(running.stdout, 'standardOutput'), pump(running.stderr, 'standardError')]);
  const code = await running.exit;
  running.done();
  stream.end(frame(encodeResponse({ type: 'exit', code })));
}
