/** /exec and /attach: everything that can be refused is refused before the protocol changes, where kubectl still shows the reason. */

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExecSession } from '../../guests/guest.ts';
import { findContainer, HttpProblem, requireRunning } from '../kubelet-request.ts';
import type { LogStream } from '../logs/log-options.ts';
import { logFileOf, renderedLog } from '../logs/serve-logs.ts';
import type { ServedPod } from '../server-deps.ts';
import { protocolOf, type Upgrade } from '../upgrade.ts';
import { type CommandRequest, type CommandStreams, parseCommandRequest } from './command-protocol.ts';
import { runCommand } from './exec-command.ts';
import { acceptSpdyCommand } from './spdy-command.ts';
import { acceptWebSocketCommand } from './websocket-command.ts';

/** Until the client tells its size, which it does at once. */
const USUAL_TERMINAL = { rows: 24, columns: 80 };

export async function serveExec(upgrade: Upgrade): Promise<void> {
  const request = parseCommandRequest(upgrade.call.query);
  const { pod } = findContainer(upgrade.call);
  requireRunning(pod);
  const [program, ...rest] = request.argv;
  if (program === undefined) throw new HttpProblem(400, 'you must specify a command to execute');
  const start = (): Promise<ExecSession> =>
    pod.exec({ argv: [program, ...rest], stdin: request.stdin, terminal: request.tty ? USUAL_TERMINAL : undefined });
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

/** `kubectl attach`: what the guest's process writes from now on, until it ends. */

/** A guest's process belongs to its supervisor and has no input anyone could write to: said at once rather than ignored. */
function checkAttach(request: CommandRequest): void {
  if (request.stdin) {
    throw new HttpProblem(
      400,
      'the process of a guest takes no input: attach without --stdin, or start a command with kubectl exec',
    );
  }
}

interface AttachOptions {
  readonly pod: ServedPod;
  readonly file: string;
  readonly tty: boolean;
}

async function attach(streams: CommandStreams, { pod, file, tty }: AttachOptions): Promise<void> {
  const show = async (stream: LogStream, client: Writable | undefined): Promise<void> => {
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
