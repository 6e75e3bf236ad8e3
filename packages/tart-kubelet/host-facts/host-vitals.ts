import { statfs } from 'node:fs/promises';
import { countProcesses, parsePositive, parseSysctl } from './parse-answers.ts';
import type { Run } from './run-command.ts';

/** What changes while the Mac is up. Undefined: it could not be read this time. */
export interface HostVitals {
  readonly disk: { readonly totalBytes: number; readonly freeBytes: number } | undefined;
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
    readDisk(path),
  ]);
  const values = parseSysctl(sysctl.stdout);
  return {
    disk,
    memoryPressureLevel: parsePositive(values['kern.memorystatus_vm_pressure_level']),
    processes: countProcesses(ps.stdout),
    mostProcesses: parsePositive(values['kern.maxproc']),
  };
}

/** `bavail`, not `bfree`: what is kept for root is not ours to use. */
async function readDisk(path: string): Promise<HostVitals['disk']> {
  try {
    const { blocks, bavail, bsize } = await statfs(path);
    return blocks > 0 ? { totalBytes: blocks * bsize, freeBytes: bavail * bsize } : undefined;
  } catch {
    return undefined;
  }
}
