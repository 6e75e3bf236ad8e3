/** Exits that the supervisor does not observe. */
import type { GuestExit } from './guest.ts';

/** Reason and exit code that kubelet uses if the end of a container is unknown. */
export const unknownExit = (finishedAt: number, message: string): GuestExit => ({
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message,
  startedAt: undefined,
  finishedAt,
});

/** The host rebooted while the VM ran; the real exit code is unknown. */
export const rebootedExit = (finishedAt: number): GuestExit => ({
  exitCode: 137,
  reason: 'NodeRebooted',
  message: 'the host rebooted while the guest was running',
  startedAt: undefined,
  finishedAt,
});

/** Exit code of a process ended by SIGTERM: 128 + 15. */
export const TERMINATED_EXIT_CODE = 143;

/** A Pod ended by a host shutdown has not succeeded, even if its guest shut down with exit code 0. */
export const shutDownExit = (exit: GuestExit): GuestExit => ({
  ...exit,
  exitCode: exit.exitCode === 0 ? TERMINATED_EXIT_CODE : exit.exitCode,
  reason: 'NodeShutdown',
  message: 'the guest was stopped because the node is shutting down',
});

export const stoppedBeforeStart = (finishedAt: number): GuestExit => ({
  exitCode: 137,
  reason: 'Killed',
  message: 'stopped before the VM was started',
  startedAt: undefined,
  finishedAt,
});
