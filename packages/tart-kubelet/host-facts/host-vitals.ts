import { type DiskSpace, readDiskSpace } from '../images/disk-account.ts';
import { countProcesses, parsePositive, parseSysctl } from './parse-answers.ts';
import type { Run } from './run-command.ts';

/** What changes while the Mac is up. Undefined: it could not be read this time. */
export interface HostVitals {
  readonly disk: DiskSpace | undefined;
  /** The kernel's own judgement: 1 normal, 2 warning, 4 critical. */
  readonly memoryPressureLevel: number | undefined;
  readonly processes: number | undefined;
  readonly mostProcesses: number | undefined;
}

/** Two short commands and one system call. `path` lies on the volume where VMs are kept. */
export async function readHostVitals(run: Run, path: string): Promise<HostVitals> {
  const [sysctl, ps, disk] = await Promise.all([
    run(['sysctl', 'kern.memorystatus_vm_pressure_level', 'kern.maxproc']),
    run(['ps', '-axo', 'pid=']),
    readDiskSpace(path).catch(() => undefined),
  ]);
  const values = parseSysctl(sysctl.stdout);
  return {
    disk,
    memoryPressureLevel: parsePositive(values['kern.memorystatus_vm_pressure_level']),
    processes: countProcesses(ps.stdout),
    mostProcesses: parsePositive(values['kern.maxproc']),
  };
}
