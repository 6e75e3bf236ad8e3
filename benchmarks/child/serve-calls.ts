import type { CallMessage, Calls, ChildMessage } from './message.ts';
import { sharedClock } from './shared-clock.ts';

type CallHandler = (...argument: readonly unknown[]) => Promise<unknown>;

/** The child's side: answers calls of the benchmark until it is gone, and ends with it however that happened. */
export function serveCalls<C extends Calls<C>>(calls: C): void {
  const answers = new Map(Object.entries(calls) as [string, CallHandler][]);
  const tell = (message: ChildMessage): void => void process.send?.(message);
  process.on('message', (asked: CallMessage) => {
    const answer = answers.get(asked.name) ?? (() => Promise.reject(new TypeError(`no call "${asked.name}"`)));
    answer(...asked.argument).then(
      value => tell({ type: 'value', id: asked.id, value }),
      (error: unknown) => tell({ type: 'error', id: asked.id, text: textOf(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  tell({ type: 'ready', clock: sharedClock() });
}

const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
