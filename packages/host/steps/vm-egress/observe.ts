import type { FileInfo, HostView } from '../../host.ts';
import { type DaemonState, lookAtDaemon } from '../../launchd/daemon-state.ts';
import { type Kernel, observeKernel } from './observe-kernel.ts';
import { complaintIn } from './pf-complaint.ts';
import { JOB, LOADER, PF_CONF, RULES_FILE, TOKEN_FILE } from './places.ts';

/** A file with what launchd and pf care about. */
export interface Seen {
  readonly text: string | undefined;
  readonly info: FileInfo | undefined;
}

/** How a host stands with the guests' filter: its files, what the kernel holds, and the job that sees to it. */
export interface Observed extends Kernel {
  readonly conf: string | undefined;
  /** Why pf does not take pf.conf as it is; undefined when it does. */
  readonly confRefused: string | undefined;
  readonly files: { readonly rules: Seen; readonly loader: Seen };
  /** Of the reference to pf that we took last. */
  readonly token: string | undefined;
  readonly job: DaemonState;
}

/** Everything in one round trip. */
export async function observe(host: HostView, rules: string): Promise<Observed> {
  const [kernel, conf, check, token, job, rulesFile, loader] = await Promise.all([
    observeKernel(host, rules),
    host.readText(PF_CONF),
    host.look(['/sbin/pfctl', '-nf', PF_CONF], { root: true }),
    host.readText(TOKEN_FILE),
    lookAtDaemon(host, JOB),
    seenFile(host, RULES_FILE),
    seenFile(host, LOADER),
  ]);
  return {
    ...kernel,
    conf,
    confRefused: check.exitCode === 0 ? undefined : complaintIn(check.stderr),
    files: { rules: rulesFile, loader },
    token: token?.trim() || undefined,
    job,
  };
}

async function seenFile(host: HostView, path: string): Promise<Seen> {
  const [text, info] = await Promise.all([host.readText(path), host.fileInfo(path)]);
  return { text, info };
}
