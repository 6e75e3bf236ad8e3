/** The ends of a guest that its supervisor does not see. */
import type { GuestExit } from './guest.ts';

/** The words and the code every kubelet uses when nobody can say how a container ended. */
export const unknownExit = (finishedAt: number, message: string): GuestExit => ({
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message,
  startedAt: undefined,
  finishedAt,
});

export const stoppedBeforeStart = (finishedAt: number): GuestExit => ({
  exitCode: 137,
  reason: 'Killed',
  message: 'stopped before the VM was started',
  startedAt: undefined,
  finishedAt,
});
