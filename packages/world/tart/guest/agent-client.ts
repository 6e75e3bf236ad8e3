import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import type { Bundle } from '../storage/bundle.ts';
import { type TartCall, TartFailure } from '../tart-call.ts';
import {
  decodeAddress,
  decodeResponse,
  EXEC,
  type ExecCommand,
  type ExecRequest,
  encodeRequest,
  RESOLVE_IP,
} from './agent-protocol.ts';
import { frame, messagesIn } from './protobuf.ts';

/** Runs a command through the guest agent and returns its exit code. */
export async function execInGuest(call: TartCall, bundle: Bundle, command: ExecCommand): Promise<number> {
  const session = await connect(call, bundle);
  const stream = request(session, EXEC);
  const send = (message: ExecRequest): void => void stream.write(frame(encodeRequest(message)));
  send({ type: 'command', command });
  if (command.interactive) void relayInput(call, send);
  try {
    return await readUntilExit(call, stream);
  } finally {
    session.destroy();
  }
}

async function readUntilExit(call: TartCall, stream: ClientHttp2Stream): Promise<number> {
  try {
    for await (const message of messagesIn(stream)) {
      const response = decodeResponse(message);
      if (response.type === 'exit') return response.code;
      (response.type === 'standardOutput' ? call.process.stdout : call.process.stderr).write(response.data);
    }
  } catch (error) {
    throw unreachable((error as Error).message);
  }
  throw unreachable('the stream ended before the command did');
}

/** Versions up to 2.32 spin at the end of the input until the command ends (facts 10.8); this is not simulated. */
async function relayInput(call: TartCall, send: (message: ExecRequest) => void): Promise<void> {
  for await (const data of call.process.stdin) send({ type: 'standardInput', data: Buffer.from(data) });
  send({ type: 'standardInput', data: Buffer.alloc(0) });
}

/** Undefined if the guest has no address yet or no agent responds. */
export async function resolveAddress(call: TartCall, bundle: Bundle): Promise<string | undefined> {
  try {
    const session = await connect(call, bundle);
    const stream = request(session, RESOLVE_IP);
    stream.end(frame(Buffer.alloc(0)));
    for await (const message of messagesIn(stream)) {
      session.destroy();
      return decodeAddress(message) || undefined;
    }
  } catch {
    // Without a socket or an agent there is no address.
  }
  return undefined;
}

const request = (session: ClientHttp2Session, path: string): ClientHttp2Stream =>
  session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });

function connect(call: TartCall, bundle: Bundle): Promise<ClientHttp2Session> {
  // From within the bundle, because a socket path is at most 104 bytes long.
  call.process.changeDirectory(bundle.directory);
  return new Promise((resolve, reject) => {
    const session = connectHttp2('http://agent', { createConnection: () => connectSocket('control.sock') });
    session.on('error', error => reject(unreachable(error.message)));
    session.on('close', () => reject(unreachable('connection reset by peer')));
    // The server's settings prove that an agent is behind the relay.
    session.once('remoteSettings', () => resolve(session));
  });
}

const unreachable = (why: string): TartFailure =>
  new TartFailure(`Failed to connect to the VM using its control socket: ${why}, is the Tart Guest Agent running?`);
