import type { ServerStatus } from './server.ts';

export type Operation = 'update' | 'reboot' | 'reinstall' | 'delete';
export type Permit = 'allowed' | 'transient' | 'locked';

const duringTransition: Readonly<Record<Operation, Permit>> = {
  update: 'allowed',
  reboot: 'transient',
  reinstall: 'transient',
  delete: 'transient',
};
const settled: Readonly<Record<Operation, Permit>> = {
  update: 'allowed',
  reboot: 'allowed',
  reinstall: 'allowed',
  delete: 'allowed',
};
const locked: Readonly<Record<Operation, Permit>> = {
  update: 'locked',
  reboot: 'locked',
  reinstall: 'locked',
  delete: 'locked',
};

/**
 * What may be asked of a server in each status. A rename is never refused for a transition: a release renames a host
 * that is already reinstalling and succeeds (facts §4). That delete waits for a transition to end is derived.
 */
export const permits: Readonly<Record<ServerStatus, Readonly<Record<Operation, Permit>>>> = {
  unknown_status: duringTransition,
  starting: duringTransition,
  ready: settled,
  // A broken host can be reinstalled, rebooted and given back: the only ways out (derived).
  error: settled,
  rebooting: duringTransition,
  updating: duringTransition,
  locking: locked,
  locked,
  unlocking: locked,
  reinstalling: duringTransition,
  busy: duringTransition,
};
