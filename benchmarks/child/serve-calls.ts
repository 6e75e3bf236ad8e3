import type { CallMessage, Calls, ChildMessage } from './message.ts';
import { sharedClock } from './shared-clock.ts';

type CallHandler = (...argument: readonly unknown[]) => Promise<unknown>;

/** Serves calls of the benchmark in a child process, which ends with the benchmark in any case. */
export function serveCalls<C extends Calls<C>>(calls: C): void {
  const handlers = new Map(Object.entries(calls) as [string, CallHandler][]);
  const send = (message: ChildMessage): void => void process.send?.(message);
  process.on('message', (call: CallMessage) => {
    const handler = handlers.get(call.name) ?? (() => Promise.reject(new TypeError(`no call "${call.name}"`)));
    handler(...call.argument).then(
      value => send({ type: 'value', id: call.id, value }),
      (error: unknown) => send({ type: 'error', id: call.id, text: textOf(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  send({ type: 'ready', clock: sharedClock() });
}

const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
