import type { GhActionsRunner } from '@minifleet/api';
import type { Secret } from '@minifleet/secret';

/** The forge as a machine needs it: a token to register with, whether the runner is seen, and its removal. */
export interface BuilderRunners {
  /** A fresh registration token; it is good for an hour and for one host. */
  token(namespace: string, spec: GhActionsRunner): Promise<Secret>;
  /** Where its runner registers: the organisation's page at the forge. */
  url(spec: GhActionsRunner): string;
  state(namespace: string, spec: GhActionsRunner, name: string): Promise<'online' | 'offline' | 'busy' | 'absent'>;
  /** Gone already is success. A busy runner is refused: false, and the caller comes back. */
  remove(namespace: string, spec: GhActionsRunner, name: string): Promise<boolean>;
}
