/** `kubectl attach`: what the guest's process writes from now on, until it ends. */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HttpProblem } from '../http-problem.ts';
import type { LogStream } from '../logs/log-options.ts';
import { renderedLog } from '../logs/serve-logs.ts';
import type { ServedPod } from '../served-pod.ts';
import type { CommandRequest } from './command-request.ts';
import type { CommandStreams } from './command-streams.ts';

/** A guest's process belongs to its supervisor and has no input anyone could write to: said at once rather than ignored. */
export function checkAttach(request: CommandRequest): void {
  if (request.stdin) {
    throw new HttpProblem(
      400,
      'the process of a guest takes no input: attach without --stdin, or start a command with kubectl exec',
    );
  }
}

export interface AttachOptions {
  readonly pod: ServedPod;
  readonly file: string;
  readonly tty: boolean;
}

export async function attach(streams: CommandStreams, { pod, file, tty }: AttachOptions): Promise<void> {
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
