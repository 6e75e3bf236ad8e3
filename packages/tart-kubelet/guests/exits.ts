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

/** Nobody saw this one either, but everybody knows why. */
export const rebootedExit = (finishedAt: number): GuestExit => ({
  exitCode: 137,
  reason: 'NodeRebooted',
  message: 'this Mac was restarted while the guest ran',
  startedAt: undefined,
  finishedAt,
});

/** As a process that was told to end: 128 + SIGTERM. */
export const TOLD_TO_END = 143;

/** However orderly it ended, it was not done: a single-shot Pod that the host took down has not succeeded. */
export const shutDownExit = (exit: GuestExit): GuestExit => ({
  ...exit,
  exitCode: exit.exitCode === 0 ? TOLD_TO_END : exit.exitCode,
  reason: 'NodeShutdown',
  message: 'the guest was ended in response to imminent node shutdown',
});

export const stoppedBeforeStart = (finishedAt: number): GuestExit => ({
  exitCode: 137,
  reason: 'Killed',
  message: 'stopped before the VM was started',
  startedAt: undefined,
  finishedAt,
});
