/**
 * exec and attach over WebSockets, which the API server passes through to a Node that has declared them, and which
 * browsers use.
 */
import { finished } from 'node:stream/promises';
import { createIdleLimit } from '../idle-limit.ts';
import type { Upgrade } from '../upgrade.ts';
import { acceptWebSocket } from '../websocket/accept-websocket.ts';
import { openChannels } from '../websocket/channels.ts';
import { type CommandRequest, type CommandStreams, type ExecResult, statusOf, textOf } from './command-protocol.ts';

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

const PROTOCOLS = [
  'channel.k8s.io',
  'base64.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'v5.channel.k8s.io',
];

export async function acceptWebSocketCommand(upgrade: Upgrade, request: CommandRequest): Promise<CommandStreams> {
  const { clock, limits } = upgrade.call.server;
  const { socket, protocol } = await acceptWebSocket(upgrade, PROTOCOLS);
  const idle = createIdleLimit(clock, limits.idle, () => socket.terminate());
  const channels = openChannels(socket, {
    base64: protocol.includes('base64'),
    closing: protocol.startsWith('v5.'),
    onActivity: () => idle.touch(),
  });
  channels.gone.addEventListener('abort', () => idle.stop(), { once: true });
  const stdout = request.stdout ? channels.writable(CHANNEL.stdout) : undefined;
  const stderr = request.stderr ? channels.writable(CHANNEL.stderr) : undefined;
  const error = channels.writable(CHANNEL.error);
  channels.announce(stdout ? CHANNEL.stdout : stderr ? CHANNEL.stderr : CHANNEL.error);

  async function finish(result: ExecResult): Promise<void> {
    error.end(/^v[45]\./.test(protocol) ? JSON.stringify(statusOf(result)) : textOf(result));
    const outputs = [stdout, stderr, error].filter(output => output !== undefined);
    await Promise.allSettled(outputs.map(output => finished(output.end())));
    // Discards remaining input; unread, it would hide the client's close frame.
    socket.resume();
    channels.close();
  }
  return {
    stdin: request.stdin ? channels.readable(CHANNEL.stdin) : undefined,
    stdout,
    stderr,
    sizes: request.tty ? channels.readable(CHANNEL.resize) : undefined,
    gone: channels.gone,
    finish: result => void finish(result),
  };
}
