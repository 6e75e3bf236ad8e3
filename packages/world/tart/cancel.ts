import type { Call } from './call.ts';

/** SIGINT cancels the task: what it was making is removed, and the call ends with Swift's words for it (derived). */
export function cancelOnInterrupt(call: Call, cleanUp: () => void): void {
  call.process.onSignal('SIGINT', () => {
    cleanUp();
    call.err('Error: CancellationError()');
    call.process.exit(1);
  });
}
