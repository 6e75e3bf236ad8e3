import type { ReleasePhase } from './phase.ts';
import { quiesceHost } from './release/quiesce-host.ts';
import { removeRunner } from './release/remove-runner.ts';
import { retainHost, returnHost } from './release/return-host.ts';
import { revokeCredentials } from './release/revoke-credentials.ts';
import { stopWork } from './release/stop-work.ts';

/** The way back. The host goes last: until the vendor has it, nobody else may take it, and a kept one is reached with our credentials. */
export const releasePhases: readonly ReleasePhase[] = [
  stopWork,
  removeRunner,
  quiesceHost,
  revokeCredentials,
  returnHost,
  retainHost,
];
