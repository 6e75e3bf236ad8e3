/** Waits for a condition with a deadline. This package has no other way of waiting. */
import { setTimeout as pause } from 'node:timers/promises';

export type WaitOptions = {
  /** Milliseconds. */
  deadline: number;
  /** Milliseconds between two checks. */
  every?: number;
};

/** Returns the first truthy value of `look`, or undefined after the deadline. */
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
