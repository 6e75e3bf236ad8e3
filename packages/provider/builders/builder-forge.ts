import type { GhActionsRunner } from '@minifleet/api';
import type { Secret } from '@minifleet/secret';

/** GitHub operations for the runner of a builder. */
export interface BuilderForge {
  /** New registration token, valid for one hour. */
  token(namespace: string, spec: GhActionsRunner): Promise<Secret>;
  /** Registration URL of the organization. */
  url(spec: GhActionsRunner): string;
  state(namespace: string, spec: GhActionsRunner, name: string): Promise<'online' | 'offline' | 'busy' | 'absent'>;
  /** Succeeds if the runner is absent. False if GitHub refuses because the runner has a job. */
  remove(namespace: string, spec: GhActionsRunner, name: string): Promise<boolean>;
}
