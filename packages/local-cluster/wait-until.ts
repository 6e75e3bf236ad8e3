/** Waits for a condition with a deadline: the only kind of waiting in this package. */
import { setTimeout as pause } from 'node:timers/promises';

export type WaitOptions = {
  /** Milliseconds. */
  deadline: number;
  /** Milliseconds between two looks. */
  every?: number;
};

/** The first truthy value `look` gives, or undefined when the deadline passes before one. */
export async function waitUntil<Value>(
  look: () => Promise<Value | undefined | false>,
  { deadline, every = 50 }: WaitOptions,
): Promise<Value | undefined> {
  const end = performance.now() + deadline;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() >= end) return undefined;
    await pause(every);
  }
}
