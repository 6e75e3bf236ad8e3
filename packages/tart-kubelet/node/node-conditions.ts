import { foreignVms } from '../gc/classify-vms.ts';
import type { TartVm } from '../guests/tart.ts';
import type { HostVitals } from '../host-facts/host-facts.ts';
import { type DiskAccount, usedPercent } from '../images/disk-account.ts';
import { type Finding, fails, holds, notLookedYet } from './finding.ts';

/** The conditions we own; every other one on the Node is somebody else's and stays. */
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
export type Findings = Readonly<Record<OwnCondition, Finding>>;

/** What the parts of the agent know now. Absent: not looked at yet. */
export interface Looks {
  readonly vitals?: HostVitals | undefined;
  readonly disk?: DiskAccount | undefined;
  readonly guiSession?: Finding | undefined;
  readonly tart?: Finding | undefined;
  /** Whether images can be listed. */
  readonly imageStore?: Finding | undefined;
  readonly vms?: readonly TartVm[] | undefined;
  readonly vmSlots: number;
  readonly certificates?: Finding | undefined;
  /** Whether every guest of an earlier life has been found again: before, a Pod could be started twice. */
  readonly guestsRecovered: boolean;
}

/** All own conditions. `before` is what stood there last: what is about the disk needs it to tell rising from falling. */
export function judgeNode(looks: Looks, before: Partial<Findings> = {}): Findings {
  const { guiSession = notLookedYet, tart = notLookedYet } = looks;
  const { imageStore = notLookedYet, certificates = notLookedYet } = looks;
  return {
    MemoryPressure: memoryPressure(looks.vitals),
    DiskPressure: diskPressure(looks.disk, before.DiskPressure?.status === 'True'),
    PIDPressure: processPressure(looks.vitals),
    GUISessionReady: guiSession,
    TartReady: tart,
    ImageStoreHealthy: judgeImageStore(imageStore, looks.disk, before.ImageStoreHealthy?.reason === 'OutOfSpace'),
    ForeignVMs: looks.vms ? judgeForeignVms(looks.vms, looks.vmSlots) : notLookedYet,
    CertificatesReady: certificates,
    Ready: readiness(looks.guestsRecovered, { GUISessionReady: guiSession, TartReady: tart }),
  };
}

/** Ready means that a Pod bound now can run. macOS starts no VM without a session at the screen, nor without Tart. */
function readiness(guestsRecovered: boolean, needed: Readonly<Record<string, Finding>>): Finding {
  const missing = guestsRecovered ? [] : ['guests of an earlier life are still looked for'];
  for (const [type, { status, message }] of Object.entries(needed)) {
    // A look that failed says nothing about the Mac; only before the first answer is not knowing a reason to wait.
    if (status === 'False') missing.push(`${type}: ${message}`);
    else if (needed[type] === notLookedYet) missing.push(`${type}: not looked at yet`);
  }
  if (missing.length > 0) return { status: 'False', reason: 'KubeletNotReady', message: missing.join('; ') };
  return { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
}

const CRITICAL = 4;

function memoryPressure(vitals: HostVitals | undefined): Finding {
  return vitals?.memoryPressureLevel === CRITICAL
    ? pressure('KubeletHasInsufficientMemory', 'kubelet has insufficient memory available')
    : noPressure('KubeletHasSufficientMemory', 'kubelet has sufficient memory available');
}

const PRESSED_BELOW = 0.1;
/** Room to breathe before the condition is taken back: at the edge it would flap with every log line. */
const RELIEVED_ABOVE = 0.12;

/** Of what is free now: what pulls will take is not taken yet, and a pull that finds no room makes some. */
function diskPressure(disk: DiskAccount | undefined, pressed: boolean): Finding {
  const free = disk && disk.freeBytes / disk.totalBytes;
  const presses = free === undefined ? pressed : free < (pressed ? RELIEVED_ABOVE : PRESSED_BELOW);
  return presses
    ? pressure('KubeletHasDiskPressure', 'kubelet has disk pressure')
    : noPressure('KubeletHasNoDiskPressure', 'kubelet has no disk pressure');
}

const MOST_PROCESSES_SHARE = 0.9;

function processPressure(vitals: HostVitals | undefined): Finding {
  const { processes, maxProcesses } = vitals ?? {};
  const presses =
    processes !== undefined && maxProcesses !== undefined && processes > maxProcesses * MOST_PROCESSES_SHARE;
  return presses
    ? pressure('KubeletHasInsufficientPID', 'kubelet has insufficient PID available')
    : noPressure('KubeletHasSufficientPID', 'kubelet has sufficient PID available');
}

const pressure = (reason: string, message: string): Finding => ({ status: 'True', reason, message });
const noPressure = (reason: string, message: string): Finding => ({ status: 'False', reason, message });

/** Beyond it no image fits any more; the collector works from 85 on, so it has found nothing to remove. */
const FULL_PERCENT = 95;
/** Taken back below this only: at the edge it would flap with every log line. */
const ROOM_PERCENT = 93;

/**
 * For the Node's condition `ImageStoreHealthy`: whether images can be listed, and another one could be kept beside those
 * that are on their way. An account that is missing says nothing against it.
 */
export function judgeImageStore(listed: Finding, account: DiskAccount | undefined, wasFull: boolean): Finding {
  if (listed.status !== 'True' || !account) return listed;
  const used = usedPercent({ ...account, freeBytes: account.freeBytes - account.promisedBytes });
  if (used < (wasFull ? ROOM_PERCENT : FULL_PERCENT)) return listed;
  return fails('OutOfSpace', 'no room for another image on the volume, with the pulls under way counted in; free some');
}

/** A Node is sent often and read by people: more names would help neither. */
const MOST_NAMES = 5;
const LONGEST_NAME = 63;

/** For the Node's condition `ForeignVMs`: whose VMs are here beside ours, and how many places of the kernel's they take. */
export function judgeForeignVms(vms: readonly TartVm[], places: number): Finding {
  const foreign = foreignVms(vms);
  const [running, stopped] = [foreign.filter(vm => vm.running), foreign.filter(vm => !vm.running)];
  const rest = stopped.length > 0 ? [`not ours, and not running: ${namesOf(stopped)}`] : [];
  if (running.length > 0) {
    const taken = `${running.length} of ${places} VM slots are taken by VMs that are not ours: ${namesOf(running)}`;
    return holds('ForeignVMsRunning', [taken, ...rest].join('; '));
  }
  if (stopped.length > 0) return holds('ForeignVMsStopped', rest.join());
  return fails('NoForeignVMs', 'all VMs of this host are guests of this node');
}

/** In the order of the alphabet: the message may change only when the VMs do. */
function namesOf(vms: readonly TartVm[]): string {
  const names = vms.map(({ name }) => name).sort();
  const shown = names.slice(0, MOST_NAMES).map(name => name.slice(0, LONGEST_NAME));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
