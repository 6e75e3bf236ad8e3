import type { Host } from '../../host.ts';
import { daemonDifferences } from '../../launchd/daemon-differences.ts';
import { loadDaemon } from '../../launchd/daemon-script.ts';
import type { DaemonState } from '../../launchd/daemon-state.ts';
import type { LaunchDaemon } from '../../launchd/launch-daemon.ts';
import { JOB, JOB_LOG, LOADER, RULES_FILE, TOKEN_FILE } from './places.ts';

/** What the loader is given: the same words live, at boot and each minute. */
export const LOAD = [RULES_FILE, TOKEN_FILE, 'hold'] as const;

/**
 * Loads the rules at boot and each minute: whoever empties an anchor or ends pf does so for a minute. Its words never
 * change with the rules, so launchd is not told anew when they do (I17).
 */
export const EGRESS_JOB: LaunchDaemon = {
  label: JOB,
  arguments: ['/bin/sh', LOADER, ...LOAD],
  startIntervalSeconds: 60,
  logFile: JOB_LOG,
};

/** Has launchd hold the job. It starts at once and finds nothing to do: rules are loaded, our reference is held. */
export async function keepJob(host: Host, seen: DaemonState): Promise<string[]> {
  const differences = daemonDifferences(seen, EGRESS_JOB);
  if (differences.length === 0) return [];
  // Every bootstrap counts towards what Background Task Management allows (I17): none for a flag.
  if (seen.disabled && differences.length === 1) {
    await host.must(['/bin/launchctl', 'enable', `system/${JOB}`], { root: true });
    return [`enabled the job ${JOB}`];
  }
  await loadDaemon(host, EGRESS_JOB);
  return [`gave the job ${JOB} to launchd`];
}
