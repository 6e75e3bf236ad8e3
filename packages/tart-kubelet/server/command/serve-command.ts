/** /exec and /attach. Errors are returned before the protocol upgrade, while kubectl can still show them. */

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExecSession } from '../../guests/guest.ts';
import { findContainer, HttpProblem, requireRunning } from '../kubelet-request.ts';
import type { RequestedStream } from '../logs/log-options.ts';
import { logFileOf, renderedLog } from '../logs/serve-logs.ts';
import type { ServedPod } from '../server-deps.ts';
import { protocolOf, type Upgrade } from '../upgrade.ts';
import { type CommandRequest, type CommandStreams, parseCommandRequest } from './command-protocol.ts';
import { runCommand } from './exec-command.ts';
import { acceptSpdyCommand } from './spdy-command.ts';
import { acceptWebSocketCommand } from './websocket-command.ts';

/** Used until the client sends its size, which it does immediately. */
const DEFAULT_TERMINAL = { rows: 24, columns: 80 };

export async function serveExec(upgrade: Upgrade): Promise<void> {
  const request = parseCommandRequest(upgrade.call.query);
  const { pod } = findContainer(upgrade.call);
  requireRunning(pod);
  const [program, ...rest] = request.argv;
  if (program === undefined) throw new HttpProblem(400, 'you must specify a command to execute');
  const start = (): Promise<ExecSession> =>
    pod.exec({ argv: [program, ...rest], stdin: request.stdin, terminal: request.tty ? DEFAULT_TERMINAL : undefined });
  const streams = await accept(upgrade, request);
  if (streams) await runCommand(streams, start);
}

export async function serveAttach(upgrade: Upgrade): Promise<void> {
  const request = parseCommandRequest(upgrade.call.query);
  const { pod, container } = findContainer(upgrade.call);
  checkAttach(request);
  requireRunning(pod);
  const file = logFileOf(pod, container, false);
  const streams = await accept(upgrade, request);
  if (streams) await attach(streams, { pod, file, tty: request.tty });
}

function accept(upgrade: Upgrade, request: CommandRequest): Promise<CommandStreams | undefined> {
  return protocolOf(upgrade) === 'spdy'
    ? acceptSpdyCommand(upgrade, request)
    : acceptWebSocketCommand(upgrade, request);
}

/** `kubectl attach`: streams what the guest's process writes from now on, until it ends. */

/** The guest's process belongs to its supervisor and has no stdin: the request is rejected rather than ignored. */
function checkAttach(request: CommandRequest): void {
  if (request.stdin) {
    throw new HttpProblem(400, 'the process of a guest has no stdin; attach without --stdin, or use kubectl exec');
  }
}

interface AttachOptions {
  readonly pod: ServedPod;
  readonly file: string;
  readonly tty: boolean;
}

async function attach(streams: CommandStreams, { pod, file, tty }: AttachOptions): Promise<void> {
  const show = async (stream: RequestedStream, client: Writable | undefined): Promise<void> => {
    if (!client) return;
    const options = {
      stream,
      follow: true,
      previous: false,
      timestamps: false,
      tailLines: 0,
      since: undefined,
      limitBytes: undefined,
    };
    const lines = renderedLog({ pod, file, options, signal: streams.gone });
    await pipeline(Readable.from(lines, { objectMode: false }), client).catch(() => undefined);
  };
  await Promise.all([show(tty ? 'all' : 'stdout', streams.stdout), show('stderr', streams.stderr)]);
  streams.finish({ exitCode: 0 });
}
