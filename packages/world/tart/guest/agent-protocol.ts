import { bytesAt, decode, encode, field, numberAt } from './protobuf.ts';

/**
 * The guest agent's service (facts 10.8). The names are documented there; field numbers and the package-less path are
 * derived from their order.
 */
export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

export interface ExecCommand {
  readonly name: string;
  readonly args: readonly string[];
  readonly interactive: boolean;
  readonly tty: boolean;
  readonly terminalSize?: TerminalSize | undefined;
}

export type ExecRequest =
  | { readonly type: 'command'; readonly command: ExecCommand }
  /** Empty data is the end of the input. */
  | { readonly type: 'standardInput'; readonly data: Buffer }
  | { readonly type: 'terminalResize'; readonly size: TerminalSize };

type ExecResponse =
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'standardOutput'; readonly data: Buffer }
  | { readonly type: 'standardError'; readonly data: Buffer };

export function encodeRequest(request: ExecRequest): Buffer {
  switch (request.type) {
    case 'command':
      return encode([field(1, encodeCommand(request.command))]);
    case 'standardInput':
      return encode([field(2, encode([field(1, request.data)]))]);
    case 'terminalResize':
      return encode([field(3, encodeSize(request.size))]);
    default:
      return request satisfies never;
  }
}

const encodeCommand = (command: ExecCommand): Buffer =>
  encode([
    field(1, command.name),
    ...command.args.map(argument => field(2, argument)),
    command.interactive ? field(3, 1) : undefined,
    command.tty ? field(4, 1) : undefined,
    command.terminalSize ? field(5, encodeSize(command.terminalSize)) : undefined,
  ]);

const encodeSize = (size: TerminalSize): Buffer => encode([field(1, size.rows), field(2, size.columns)]);

const decodeSize = (buffer: Buffer): TerminalSize => {
  const fields = decode(buffer);
  return { rows: numberAt(fields, 1), columns: numberAt(fields, 2) };
};

export function decodeRequest(buffer: Buffer): ExecRequest {
  const fields = decode(buffer);
  const [command] = bytesAt(fields, 1);
  if (command) return { type: 'command', command: decodeCommand(command) };
  const [size] = bytesAt(fields, 3);
  if (size) return { type: 'terminalResize', size: decodeSize(size) };
  const [input = Buffer.alloc(0)] = bytesAt(fields, 2);
  return { type: 'standardInput', data: bytesAt(decode(input), 1)[0] ?? Buffer.alloc(0) };
}

function decodeCommand(buffer: Buffer): ExecCommand {
  const fields = decode(buffer);
  const [size] = bytesAt(fields, 5);
  return {
    name: bytesAt(fields, 1)[0]?.toString() ?? '',
    args: bytesAt(fields, 2).map(each => each.toString()),
    interactive: numberAt(fields, 3) === 1,
    tty: numberAt(fields, 4) === 1,
    terminalSize: size ? decodeSize(size) : undefined,
  };
}

export function encodeResponse(response: ExecResponse): Buffer {
  switch (response.type) {
    case 'exit':
      return encode([field(1, encode([field(1, response.code)]))]);
    case 'standardOutput':
      return encode([field(2, encode([field(1, response.data)]))]);
    case 'standardError':
      return encode([field(3, encode([field(1, response.data)]))]);
    default:
      return response satisfies never;
  }
}

export function decodeResponse(buffer: Buffer): ExecResponse {
  const fields = decode(buffer);
  const [exit] = bytesAt(fields, 1);
  if (exit) return { type: 'exit', code: numberAt(decode(exit), 1) };
  const [output] = bytesAt(fields, 2);
  if (output) return { type: 'standardOutput', data: bytesAt(decode(output), 1)[0] ?? Buffer.alloc(0) };
  const [error = Buffer.alloc(0)] = bytesAt(fields, 3);
  return { type: 'standardError', data: bytesAt(decode(error), 1)[0] ?? Buffer.alloc(0) };
}

/** The two methods and their messages. */
export const EXEC = '/Agent/Exec';
export const RESOLVE_IP = '/Agent/ResolveIP';

export const encodeAddress = (address: string): Buffer => encode([field(1, address)]);
export const decodeAddress = (buffer: Buffer): string => bytesAt(decode(buffer), 1)[0]?.toString() ?? '';
