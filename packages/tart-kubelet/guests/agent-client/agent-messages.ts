/** The guest agent's messages, by the field numbers of its `agent.proto` (cirruslabs/tart-guest-agent, proto/rpc). */
import { bytesAt, decode, encode, field, numberAt } from './grpc-wire.ts';

export const EXEC = '/Agent/Exec';
export const RESOLVE_IP = '/Agent/ResolveIP';

interface AgentTerminalSize {
  readonly rows: number;
  readonly columns: number;
}

export interface ExecCommand {
  readonly argv: readonly [string, ...string[]];
  /** Input will be sent; otherwise the command's stdin is empty. */
  readonly interactive: boolean;
  readonly terminal?: AgentTerminalSize | undefined;
}

export function encodeCommand({ argv: [name, ...args], interactive, terminal }: ExecCommand): Buffer {
  const fields = [field(1, name), ...args.map(argument => field(2, argument))];
  if (interactive) fields.push(field(3, 1));
  if (terminal) fields.push(field(4, 1), field(5, encodeSize(terminal)));
  return encode([field(1, encode(fields))]);
}

/** An empty message marks the end of the input. */
export const encodeInput = (data: Buffer): Buffer => encode([field(2, encode([field(1, data)]))]);

export const encodeResize = (size: AgentTerminalSize): Buffer => encode([field(3, encodeSize(size))]);

const encodeSize = ({ rows, columns }: AgentTerminalSize): Buffer => encode([field(1, rows), field(2, columns)]);

type ExecResponse =
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'stdout' | 'stderr'; readonly data: Buffer }
  /** Sent by an agent newer than this file. */
  | { readonly type: 'unknown' };

export function decodeResponse(message: Buffer): ExecResponse {
  const fields = decode(message);
  const exit = bytesAt(fields, 1);
  if (exit) return { type: 'exit', code: numberAt(decode(exit), 1) };
  for (const [number, type] of [
    [2, 'stdout'],
    [3, 'stderr'],
  ] as const) {
    const chunk = bytesAt(fields, number);
    if (chunk) return { type, data: bytesAt(decode(chunk), 1) ?? Buffer.alloc(0) };
  }
  return { type: 'unknown' };
}

export const decodeAddress = (message: Buffer): string => bytesAt(decode(message), 1)?.toString() ?? '';
