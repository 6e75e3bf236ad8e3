import { execute, m1 } from '@minifleet/world/mac';
import type { Stage } from '../stage.ts';

export const TART = '/usr/local/bin/tart';

export interface AsUser {
  /** In the session at the screen, where jobs run; over SSH unless said. */
  readonly screen?: boolean;
  /** Gets what it says there as it says it. */
  readonly err?: { write(text: string | Buffer): void };
}

/** Shell text as the user of the host. */
export const asUser = (stage: Stage, script: string, { screen = false, err }: AsUser = {}) =>
  execute(stage.mac(), script, { user: m1, session: screen ? 'aqua' : 'ssh', ...(err ? { err } : {}) });
