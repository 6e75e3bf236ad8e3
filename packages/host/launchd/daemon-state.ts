import type { FileInfo, HostView } from '../host.ts';
import { propertyListPath } from './launch-daemon.ts';
import { type PrintedJob, parsePrintedJob } from './printed-job.ts';

/** What a host has of a daemon: on disk, and in launchd's memory. The two need not agree. */
export interface DaemonState {
  readonly propertyList: string | undefined;
  readonly place: FileInfo | undefined;
  /** Undefined when launchd does not know it. */
  readonly job: PrintedJob | undefined;
  /** Switched off by `launchctl disable`: it would not come back at the next boot. */
  readonly disabled: boolean;
}

export async function lookAtDaemon(host: HostView, label: string): Promise<DaemonState> {
  const path = propertyListPath(label);
  const [propertyList, place, printed, switches] = await Promise.all([
    host.readText(path),
    host.fileInfo(path),
    host.look(['/bin/launchctl', 'print', `system/${label}`], { root: true }),
    host.look(['/bin/launchctl', 'print-disabled', 'system'], { root: true }),
  ]);
  return { propertyList, place, job: parsePrintedJob(printed.stdout), disabled: isDisabled(switches.stdout, label) };
}

// `disabled` since macOS 13, `true` before.
const isDisabled = (switches: string, label: string): boolean =>
  switches.split('\n').some(line => [`"${label}" => disabled`, `"${label}" => true`].includes(line.trim()));
