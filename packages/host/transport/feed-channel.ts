import { once } from 'node:events';
import type { ClientChannel } from 'ssh2';
import type { Command } from './transport.ts';

/**
 * Sends a command's input, no faster than the host takes it, and then its end. A command may end before it has read all:
 * then the rest is not sent. Rejects with what the source threw.
 */
export async function feedChannel(channel: ClientChannel, stdin: Command['stdin'], over: AbortSignal): Promise<void> {
  if (stdin === undefined || stdin instanceof Uint8Array) {
    channel.end(stdin);
    return;
  }
  for await (const chunk of stdin) {
    if (over.aborted) return;
    if (!channel.write(chunk)) await roomIn(channel, over);
  }
  if (!over.aborted) channel.end();
}

/** A channel that closes while its window is full never drains: the end of the command counts as room, too. */
const roomIn = (channel: ClientChannel, signal: AbortSignal): Promise<unknown> =>
  once(channel, 'drain', { signal }).catch(() => undefined);
