import { ConnectionError } from '../../client/api-error.ts';
import type { ApiRequest, ApiResponse, ApiStream, Transport } from '../../client/transport.ts';
import type { FaultPlan } from '../faults.ts';
import { LineQueue } from '../store/line-queue.ts';
import type { MemoryServer } from './memory-server.ts';

export interface MemoryTransport extends Transport {
  dropWatches(): void;
}

export interface MemoryTransportOptions {
  readonly server: MemoryServer;
  readonly plan: FaultPlan;
  readonly onRequest: (request: ApiRequest) => void;
}

/** Sends requests to a server in the same process. Each takes at least one turn of the event loop, as over a network. */
export function createMemoryTransport({ server, plan, onRequest }: MemoryTransportOptions): MemoryTransport {
  const open = new Set<LineQueue>();
  const endAll = (error?: ConnectionError): void => {
    for (const lines of open) lines.end(error);
  };

  async function pass<T>(request: ApiRequest, watch: boolean, reach: () => T): Promise<T | ApiResponse> {
    request.signal?.throwIfAborted();
    onRequest(request);
    await Promise.resolve();
    const faults = plan.take(request, watch);
    for (const fault of faults) {
      const instead = await fault.before?.(request);
      if (instead) return instead;
    }
    request.signal?.throwIfAborted();
    const reached = reach();
    for (const fault of faults) fault.after?.(request);
    return reached;
  }

  return {
    send: request => pass(request, false, () => server.answer(request)),
    async open(request) {
      const lines = await pass(request, true, () => server.watch(request));
      if (!(lines instanceof LineQueue)) return asStream(lines);
      open.add(lines);
      lines.whenEnded(() => open.delete(lines));
      endOnAbort(lines, request.signal);
      return { status: 200, headers: {}, lines: lines.read(), close: () => lines.end() };
    },
    dropWatches: () => endAll(new ConnectionError('watch: connection lost: dropped by a test')),
    close: async () => endAll(),
  };
}

/** Ends the lines on abort. Also removes the listener when the lines end, because many watches share one signal. */
function endOnAbort(lines: LineQueue, signal: AbortSignal | undefined): void {
  const end = (): void => lines.end();
  signal?.addEventListener('abort', end, { once: true });
  lines.whenEnded(() => signal?.removeEventListener('abort', end));
}

/** Rejected watch: the response is one line. */
function asStream({ status, headers, body }: ApiResponse): ApiStream {
  const queue = new LineQueue();
  queue.push(body);
  queue.end();
  return { status, headers, lines: queue.read(), close: () => undefined };
}
