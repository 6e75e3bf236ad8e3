/** The agent of one Mac, which is a process of this machine. */
import { eventually } from '@minifleet/clock/testing';
import { findProcesses, readProcFile } from './processes.ts';

export interface AgentProcess {
  readonly pid: number;
  /** Its folder `pki` has the certificates. */
  readonly stateDirectory: string;
}

/**
 * Finds the agent by the server id in its argument --provider-id, and by its folder: benches that run at the same time
 * have servers with the same ids.
 */
export const agentProcess = (folders: string, server: string): Promise<AgentProcess> =>
  eventually(
    () => {
      for (const pid of findProcesses(server)) {
        const argv = readProcFile(pid, 'cmdline').split('\0');
        const [state] = argv.flatMap(argument => /^--state-dir=(.+)$/.exec(argument)?.[1] ?? []);
        if (state?.startsWith(`${folders}/`)) return { pid: Number(pid), stateDirectory: state };
      }
      return false;
    },
    { what: `the agent of ${server}` },
  );
