import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { GuestState } from '../../guests/guest.ts';
import { findContainer, HttpProblem, type KubeletCall } from '../kubelet-request.ts';
import type { ServedPod } from '../server-deps.ts';
import { followLog } from './follow-log.ts';
import { type ContainerLogOptions, parseLogOptions } from './log-options.ts';
import { readLog } from './read-log.ts';
import { createRenderer } from './render-lines.ts';

/** GET /containerLogs/{namespace}/{pod}/{container}: streams with back-pressure, and without delay for followers. */
export async function serveLogs(call: KubeletCall, response: ServerResponse): Promise<void> {
  const options = parseLogOptions(call.query, call.server.clock.now());
  const { pod, container } = findContainer(call);
  const file = logFileOf(pod, container, options.previous);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'text/plain' });
  // Sent immediately, because the first line may take long and a follower needs to know that it is connected.
  response.flushHeaders();
  const follow = options.follow && !options.previous;
  const lines = renderedLog({ pod, file, options: { ...options, follow }, signal: gone.signal });
  await pipeline(Readable.from(lines, { objectMode: false }), response).catch((error: unknown) => {
    if (!gone.signal.aborted) throw error;
  });
}

interface RenderedLogOptions {
  readonly pod: ServedPod;
  readonly file: string;
  readonly options: ContainerLogOptions;
  readonly signal: AbortSignal;
}

/** Yields the rendered log in chunks; ends when all requested output has been sent. */
export async function* renderedLog({ pod, file, options, signal }: RenderedLogOptions): AsyncGenerator<Buffer> {
  const onStateChange = (listener: () => void): (() => void) => pod.onStateChange(listener);
  const follower = options.follow
    ? followLog({ file, running: () => isWriting(pod), onStateChange, signal })
    : undefined;
  const renderer = createRenderer(options);
  try {
    for await (const chunk of readLog({ file, tailLines: options.tailLines, follower })) {
      const shown = renderer.render(chunk);
      if (shown.length > 0) yield shown;
      if (renderer.full || signal.aborted) return;
    }
  } finally {
    follower?.close();
  }
}

/** Returns the requested log file, or throws kubelet's error if there is none. */

export function logFileOf(pod: ServedPod, container: string, previous: boolean): string {
  const file = pod.logFile(previous ? 'previous' : 'current');
  const which = `container "${container}" in pod "${pod.name}"`;
  if (previous && file === undefined) throw new HttpProblem(400, `previous terminated ${which} not found`);
  if (previous) return file ?? '';
  if (isWaiting(pod.state)) throw new HttpProblem(400, `${which} is waiting to start: ContainerCreating`);
  if (file === undefined) throw new HttpProblem(400, `${which} is not available`);
  return file;
}

const isWaiting = (state: GuestState | undefined): boolean =>
  state?.phase === 'creating' || state?.phase === 'starting';

/** A starting guest will write; one that is gone or has exited will not. */
const isWriting = (pod: ServedPod): boolean => pod.state !== undefined && pod.state.phase !== 'exited';
