import { foreignVms } from '../gc/classify-vms.ts';
import type { TartVm } from '../guests/tart.ts';
import type { HostVitals } from '../host-facts/host-facts.ts';
import { type DiskAccount, usedPercent } from '../images/disk-account.ts';
import { fails, holds, type NodeFinding, notCheckedYet } from './finding.ts';

/** Conditions that the agent owns; all others on the Node belong to other writers and stay. */
export const OWN_CONDITIONS = [
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'GUISessionReady',
  'TartReady',
  'ImageStoreHealthy',
  'ForeignVMs',
  'CertificatesReady',
  'Ready',
] as const;

export type OwnCondition = (typeof OWN_CONDITIONS)[number];
export type NodeFindings = Readonly<Record<OwnCondition, NodeFinding>>;

/** Latest observations of the agent. Absent: not checked yet. */
export interface NodeObservations {
  readonly vitals?: HostVitals | undefined;
  readonly disk?: DiskAccount | undefined;
  readonly guiSession?: NodeFinding | undefined;
  readonly tart?: NodeFinding | undefined;
  /** Reports whether images can be listed. */
  readonly imageStore?: NodeFinding | undefined;
  readonly vms?: readonly TartVm[] | undefined;
  readonly vmSlots: number;
  readonly certificates?: NodeFinding | undefined;
  /** True once every guest of a previous agent process has been recovered: before, a Pod could be started twice. */
  readonly guestsRecovered: boolean;
}

/** Computes all owned conditions. `before` provides hysteresis for the disk conditions. */
export function judgeNode(observations: NodeObservations, before: Partial<NodeFindings> = {}): NodeFindings {
  const { guiSession = notCheckedYet, tart = notCheckedYet } = observations;
  const { imageStore = notCheckedYet, certificates = notCheckedYet } = observations;
  return {
    MemoryPressure: memoryPressure(observations.vitals),
    DiskPressure: diskPressure(observations.disk, before.DiskPressure?.status === 'True'),
    PIDPressure: processPressure(observations.vitals),
    GUISessionReady: guiSession,
    TartReady: tart,
    ImageStoreHealthy: judgeImageStore(
      imageStore,
      observations.disk,
      before.ImageStoreHealthy?.reason === 'OutOfSpace',
    ),
    ForeignVMs: observations.vms ? judgeForeignVms(observations.vms, observations.vmSlots) : notCheckedYet,
    CertificatesReady: certificates,
    Ready: readiness(observations.guestsRecovered, { GUISessionReady: guiSession, TartReady: tart }),
  };
}

/** Ready means that a Pod bound now can run. macOS starts no VM without a GUI session or without Tart. */
function readiness(guestsRecovered: boolean, needed: Readonly<Record<string, NodeFinding>>): NodeFinding {
  const missing = guestsRecovered ? [] : ['guests are still being recovered'];
  for (const [type, { status, message }] of Object.entries(needed)) {
    // A failed check says nothing about the Mac; an unknown state matters only before the first check.
    if (status === 'False') missing.push(`${type}: ${message}`);
    else if (needed[type] === notCheckedYet) missing.push(`${type}: not checked yet`);
  }
  if (missing.length > 0) return { status: 'False', reason: 'KubeletNotReady', message: missing.join('; ') };
  return { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
}

const CRITICAL = 4;

function memoryPressure(vitals: HostVitals | undefined): NodeFinding {
  return vitals?.memoryPressureLevel === CRITICAL
    ? pressure('KubeletHasInsufficientMemory', 'kubelet has insufficient memory available')
    : noPressure('KubeletHasSufficientMemory', 'kubelet has sufficient memory available');
}

/** Free share of the volume. Pods can never use it, so it is not allocatable either. */
export const DISK_PRESSURE_BELOW = 0.1;
/** Hysteresis: at the threshold, the condition would flap with every log line. */
const NO_PRESSURE_ABOVE = 0.12;

/**
 * Based on currently free space: pulls in progress are not counted, and a pull that runs out of space removes images.
 */
function diskPressure(disk: DiskAccount | undefined, pressed: boolean): NodeFinding {
  const free = disk && disk.freeBytes / disk.totalBytes;
  const presses = free === undefined ? pressed : free < (pressed ? NO_PRESSURE_ABOVE : DISK_PRESSURE_BELOW);
  return presses
    ? pressure('KubeletHasDiskPressure', 'kubelet has disk pressure')
    : noPressure('KubeletHasNoDiskPressure', 'kubelet has no disk pressure');
}

const MAX_PROCESS_SHARE = 0.9;

function processPressure(vitals: HostVitals | undefined): NodeFinding {
  const { processes, maxProcesses } = vitals ?? {};
  const presses = processes !== undefined && maxProcesses !== undefined && processes > maxProcesses * MAX_PROCESS_SHARE;
  return presses
    ? pressure('KubeletHasInsufficientPID', 'kubelet has insufficient PID available')
    : noPressure('KubeletHasSufficientPID', 'kubelet has sufficient PID available');
}

const pressure = (reason: string, message: string): NodeFinding => ({ status: 'True', reason, message });
const noPressure = (reason: string, message: string): NodeFinding => ({ status: 'False', reason, message });

/** Above this, no further image fits; the collector starts at 85, so it found nothing to remove. */
const FULL_PERCENT = 95;
/** Cleared only below this: at the threshold, the condition would flap with every log line. */
const ROOM_PERCENT = 93;

/**
 * Computes the Node condition `ImageStoreHealthy`: images can be listed, and another one would fit beside those being
 * pulled. Without disk usage data the store counts as healthy.
 */
export function judgeImageStore(listed: NodeFinding, account: DiskAccount | undefined, wasFull: boolean): NodeFinding {
  if (listed.status !== 'True' || !account) return listed;
  const used = usedPercent({ ...account, freeBytes: account.freeBytes - account.promisedBytes });
  if (used < (wasFull ? ROOM_PERCENT : FULL_PERCENT)) return listed;
  return fails('OutOfSpace', 'no space for another image on the volume, including pulls in progress; free some space');
}

/** A Node is sent often and read by operators: more names would help neither. */
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 63;

/** Computes the Node condition `ForeignVMs`: foreign VMs on this host, and how many VM slots they use. */
export function judgeForeignVms(vms: readonly TartVm[], slots: number): NodeFinding {
  const foreign = foreignVms(vms);
  const [running, stopped] = [foreign.filter(vm => vm.running), foreign.filter(vm => !vm.running)];
  const rest = stopped.length > 0 ? [`stopped foreign VMs: ${namesOf(stopped)}`] : [];
  if (running.length > 0) {
    const taken = `${running.length} of ${slots} VM slots are used by foreign VMs: ${namesOf(running)}`;
    return holds('ForeignVMsRunning', [taken, ...rest].join('; '));
  }
  if (stopped.length > 0) return holds('ForeignVMsStopped', rest.join());
  return fails('NoForeignVMs', 'all VMs on this host are Pods of this node');
}

/** Sorted, so that the message changes only when the VMs do. */
function namesOf(vms: readonly TartVm[]): string {
  const names = vms.map(({ name }) => name).sort();
  const shown = names.slice(0, MAX_NAMES).map(name => name.slice(0, MAX_NAME_LENGTH));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
