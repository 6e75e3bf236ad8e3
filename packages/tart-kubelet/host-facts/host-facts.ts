import { createHash } from 'node:crypto';
import { readDiskSpace, type VolumeSpace } from '../images/disk-account.ts';
import type { RunLocalCommand } from './local-command.ts';

/** Facts that do not change while the Mac is up; a macOS update reboots it. */
export interface MacFacts {
  readonly macosVersion: string;
  readonly macosBuild: string;
  readonly kernelVersion: string;
  readonly machineId: string;
  readonly bootId: string;
  readonly model: string;
  readonly cpus: number;
  readonly memoryBytes: number;
}

export interface HostCommandOutput {
  readonly swVers: string;
  readonly uname: string;
  readonly sysctl: string;
  readonly ioreg: string;
  /** Used to derive an id if the hardware UUID is unavailable. */
  readonly nodeName: string;
}

const UNKNOWN = 'unknown';
const NAMES = ['hw.ncpu', 'hw.memsize', 'hw.model', 'kern.bootsessionuuid', 'kern.boottime'] as const;

/** Reads all facts of the Mac once, in parallel. */
export async function readHostFacts(run: RunLocalCommand, nodeName: string): Promise<MacFacts> {
  const [swVers, uname, sysctl, ioreg] = await Promise.all([
    run(['sw_vers']),
    run(['uname', '-r']),
    run(['sysctl', ...NAMES]),
    run(['ioreg', '-rd1', '-c', 'IOPlatformExpertDevice']),
  ]);
  return hostFacts({
    swVers: swVers.stdout,
    uname: uname.stdout,
    sysctl: sysctl.stdout,
    ioreg: ioreg.stdout,
    nodeName,
  });
}

/**
 * Fills every fact, because a Node's info must not have gaps. `kern.uuid` is not used: it identifies the kernel build
 * and is the same on every Mac with it.
 */
export function hostFacts(answers: HostCommandOutput): MacFacts {
  const macos = parseSwVers(answers.swVers);
  const values = parseSysctl(answers.sysctl);
  const machineId = parsePlatformUuid(answers.ioreg) ?? uuidOf(`machine ${answers.nodeName}`);
  const session = values['kern.bootsessionuuid'];
  const boot = parseBootSecond(values['kern.boottime']) ?? UNKNOWN;
  return {
    macosVersion: macos?.version ?? UNKNOWN,
    macosBuild: macos?.build ?? UNKNOWN,
    kernelVersion: answers.uname.trim() || UNKNOWN,
    machineId,
    // The boot time changes when the clock is set; the session UUID does not.
    bootId: session?.toLowerCase() ?? uuidOf(`boot ${machineId} ${boot}`),
    model: values['hw.model'] ?? UNKNOWN,
    cpus: parsePositive(values['hw.ncpu']) ?? 1,
    memoryBytes: parsePositive(values['hw.memsize']) ?? 0,
  };
}

/** Derives a stable UUID from a text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Parsers for the output of macOS commands. Missing or malformed output is undefined, never a wrong value. */

interface MacosVersion {
  readonly version: string;
  readonly build: string;
}

function parseSwVers(text: string): MacosVersion | undefined {
  const version = /^ProductVersion:\s*(\S+)\s*$/m.exec(text)?.[1];
  const build = /^BuildVersion:\s*(\S+)\s*$/m.exec(text)?.[1];
  return version && build ? { version, build } : undefined;
}

/** Parses `name: value` lines. A name unknown to this kernel is simply missing: sysctl still prints the others. */
function parseSysctl(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/^([\w.]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Apple's hardware UUID, from `ioreg -rd1 -c IOPlatformExpertDevice`: it survives a reinstallation. */
export const parsePlatformUuid = (text: string): string | undefined =>
  /"IOPlatformUUID" = "([0-9A-Fa-f-]{36})"/.exec(text)?.[1]?.toLowerCase();

function parsePositive(text: string | undefined): number | undefined {
  const number = Number(text);
  return text !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}

/** Boot time in seconds, from `kern.boottime`: `{ sec = 1783850000, usec = 12 } Sun Jul 12 …`. */
const parseBootSecond = (text: string | undefined): string | undefined => /sec = (\d+)/.exec(text ?? '')?.[1];

/** Number of processes, from `ps -axo pid=`. */
export const countProcesses = (text: string): number | undefined => text.match(/^\s*\d+\s*$/gm)?.length;

/** First IPv4 address from `tailscale ip -4`. */
export const parseTailscaleIp = (text: string): string | undefined => /^\d+\.\d+\.\d+\.\d+$/m.exec(text)?.[0];

/** Values that change while the Mac is up. Undefined: could not be read this time. */
export interface HostVitals {
  readonly disk: VolumeSpace | undefined;
  /** The kernel's memory pressure level: 1 normal, 2 warning, 4 critical. */
  readonly memoryPressureLevel: number | undefined;
  readonly processes: number | undefined;
  readonly maxProcesses: number | undefined;
}

/** Costs two short commands and one system call. `path` is on the volume that holds the VMs. */
export async function readHostVitals(run: RunLocalCommand, path: string): Promise<HostVitals> {
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
    maxProcesses: parsePositive(values['kern.maxproc']),
  };
}
