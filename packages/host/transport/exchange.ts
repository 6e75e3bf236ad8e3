import { once } from 'node:events';
import type { CataloguedError } from '@minifleet/errors';
import type { Client, ClientChannel } from 'ssh2';
import { HOST_CONNECTION_LOST, HOST_UNREACHABLE } from '../errors.ts';
import type { CommandLimit } from './limit.ts';
import { sendSignal } from './ssh2-internals.ts';
import type { Command, CommandOutcome, CommandOutput } from './transport.ts';

/** A command as text for the login shell. */
export interface QuotedCommand extends Command {
  readonly text: string;
}

/** Connection that runs a command. */
interface ChannelConnection {
  readonly client: Client;
  readonly address: string;
  /** Reason for the lost connection; undefined while it is open. */
  lost(): CataloguedError | undefined;
  /** Called when the host has opened a channel for the command. */
  opened(): void;
}

/**
 * Runs one command on its own channel. It ends by itself, at its limit, or with the connection. `refused` if the host
 * opens no further channel: the command has not started.
 */
export function runOnChannel(
  line: ChannelConnection,
  command: QuotedCommand,
  limit: CommandLimit,
): Promise<CommandOutcome | 'refused'> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome | 'refused'>();
  const over = new AbortController();
  const heard = collectOutput(command, error => abandon(() => reject(error)));
  let channel: ClientChannel | undefined;

  const end = (settle: () => void): void => {
    if (over.signal.aborted) return;
    over.abort();
    limit.reached.removeEventListener('abort', onLimit);
    settle();
  };
  const abandon = (settle: () => void): void =>
    end(() => {
      if (channel) terminateChannel(line.client, channel);
      settle();
    });
  const onLimit = (): void => abandon(() => resolve(Promise.try(() => limit.outcome(heard.output()))));
  limit.reached.addEventListener('abort', onLimit, { once: true });

  const onOpen = (error: Error | undefined, opened: ClientChannel): void => {
    if (error) {
      end(() => resolve(failedToOpen(line, error, heard.output())));
      return;
    }
    line.opened();
    channel = opened;
    channel.on('error', () => undefined); // written to after its end; the outcome reports it
    void heard.follow(channel, over.signal).then(exit => end(() => resolve(outcomeOfExit(line, exit, heard.output()))));
    if (over.signal.aborted) terminateChannel(line.client, channel);
    else feedChannel(channel, command.stdin, over.signal).catch(error => abandon(() => reject(error)));
  };
  try {
    line.client.exec(command.text, onOpen);
  } catch (error) {
    if (error instanceof Error) onOpen(error, undefined as never);
  }
  return promise;
}

interface ChannelExit {
  readonly code: number | null | undefined;
  readonly signal: string | undefined;
}

/** Collects and forwards output until the command is over. */
function collectOutput({ onStdout, onStderr }: Command, onFailure: (error: unknown) => void) {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  return {
    output: (): CommandOutput => ({ stdout: Buffer.concat(out), stderr: Buffer.concat(err) }),
    /** Resolves when the channel has closed and both streams have been read to their end: either may come last. */
    async follow(channel: ClientChannel, over: AbortSignal): Promise<ChannelExit> {
      const keep = (chunks: Buffer[], tell?: (chunk: Buffer) => void) => (chunk: Buffer) => {
        if (over.aborted) return;
        chunks.push(chunk);
        try {
          tell?.(chunk);
        } catch (error) {
          onFailure(error);
        }
      };
      channel.on('data', keep(out, onStdout));
      channel.stderr.on('data', keep(err, onStderr));
      const read = new Promise(resolve => channel.stderr.once('end', resolve));
      const exit = new Promise<ChannelExit>(resolve =>
        channel.once('close', (code: ChannelExit['code'], signal: ChannelExit['signal']) => resolve({ code, signal })),
      );
      await read;
      return exit;
    },
  };
}

/**
 * Closing the channel alone would leave the command running. It receives the signal unless it runs as root: then only
 * its input ends.
 */
function terminateChannel(client: Client, channel: ClientChannel): void {
  sendSignal(client, channel, 'TERM');
  channel.close();
}

function failedToOpen(line: ChannelConnection, cause: Error, output: CommandOutput): CommandOutcome | 'refused' {
  const lost = line.lost();
  // ssh2's messages for a connection lost before the channel was open, and so before the command was sent.
  if (lost)
    return { kind: 'unreached', error: lost, begun: !/No response|Not connected/.test(cause.message), ...output };
  if ('reason' in cause) return 'refused';
  const error = HOST_UNREACHABLE(
    { address: line.address, why: 'login succeeded, but the SSH server refuses to run commands' },
    { cause },
  );
  return { kind: 'unreached', error, begun: false, ...output };
}

function outcomeOfExit(line: ChannelConnection, { code, signal }: ChannelExit, output: CommandOutput): CommandOutcome {
  const why = 'the command ended without an exit code';
  // The exit code may arrive before the output: without the host's own channel close the output may be incomplete.
  const error =
    line.lost() ?? (code == null && !signal ? HOST_CONNECTION_LOST({ address: line.address, why }) : undefined);
  if (error) return { kind: 'unreached', error, begun: true, ...output };
  return { kind: 'ran', exitCode: code ?? undefined, signal, ...output };
}

/**
 * Sends the input of a command no faster than the host accepts it, then its end. If the command ends first, the rest is
 * not sent. Rejects with the error of the source.
 */
async function feedChannel(channel: ClientChannel, stdin: Command['stdin'], over: AbortSignal): Promise<void> {
  if (stdin === undefined || stdin instanceof Uint8Array) {
    channel.end(stdin);
    return;
  }
  for await (const chunk of stdin) {
    if (over.aborted) return;
    if (!channel.write(chunk)) await channelDrained(channel, over);
  }
  if (!over.aborted) channel.end();
}

/** A channel that closes with a full window never drains: the end of the command also resolves this. */
const channelDrained = (channel: ClientChannel, signal: AbortSignal): Promise<unknown> =>
  once(channel, 'drain', { signal }).catch(() => undefined);
