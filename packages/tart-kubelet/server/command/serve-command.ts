/** /exec and /attach: everything that can be refused is refused before the protocol changes, where kubectl still shows the reason. */
import type { ExecSession } from '../../guests/guest.ts';
import { findContainer, requireRunning } from '../find-pod.ts';
import { HttpProblem } from '../http-problem.ts';
import { logFileOf } from '../logs/log-source.ts';
import { protocolOf, type Upgrade } from '../upgrade.ts';
import { attach, checkAttach } from './attach.ts';
import { type CommandRequest, parseCommandRequest } from './command-request.ts';
import type { CommandStreams } from './command-streams.ts';
import { runCommand } from './run-command.ts';
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
