import { createHash } from 'node:crypto';
import { type DiskSpace, readDiskSpace } from '../images/disk-account.ts';
import type { Run } from './run-command.ts';

/** What does not change while the Mac is up: an update of macOS reboots it. */
export interface HostFacts {
  readonly macosVersion: string;
  readonly macosBuild: string;
  readonly kernelVersion: string;
  readonly machineId: string;
  readonly bootId: string;
  readonly model: string;
  readonly cpus: number;
  readonly memoryBytes: number;
}

export interface HostAnswers {
  readonly swVers: string;
  readonly uname: string;
  readonly sysctl: string;
  readonly ioreg: string;
  /** Stands for the hardware's UUID where there is none to be had. */
  readonly nodeName: string;
}

const UNKNOWN = 'unknown';
const NAMES = ['hw.ncpu', 'hw.memsize', 'hw.model', 'kern.bootsessionuuid', 'kern.boottime'] as const;

/** Asks the Mac once, everything at the same time. */
export async function readHostFacts(run: Run, nodeName: string): Promise<HostFacts> {
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
 * Every fact has a value, since a Node's info may have no gaps. `kern.uuid` is not used: it names the kernel's build and
 * is the same on every Mac with it.
 */
export function hostFacts(answers: HostAnswers): HostFacts {
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
    // The boot time moves when the clock is set; the session's UUID does not.
    bootId: session?.toLowerCase() ?? uuidOf(`boot ${machineId} ${boot}`),
    model: values['hw.model'] ?? UNKNOWN,
    cpus: parsePositive(values['hw.ncpu']) ?? 1,
    memoryBytes: parsePositive(values['hw.memsize']) ?? 0,
  };
}

/** A UUID that is the same for the same words. */
function uuidOf(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Reads what macOS commands print. An answer that is missing or garbled is undefined, never a wrong value. */

interface MacosVersion {
  readonly version: string;
  readonly build: string;
}

function parseSwVers(text: string): MacosVersion | undefined {
  const version = /^ProductVersion:\s*(\S+)\s*$/m.exec(text)?.[1];
  const build = /^BuildVersion:\s*(\S+)\s*$/m.exec(text)?.[1];
  return version && build ? { version, build } : undefined;
}

/** `name: value` lines. A name this kernel does not know is only missing: sysctl still prints the others. */
function parseSysctl(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/^([\w.]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** The UUID Apple gives the hardware, from `ioreg -rd1 -c IOPlatformExpertDevice`: it outlives a reinstallation. */
export const parsePlatformUuid = (text: string): string | undefined =>
  /"IOPlatformUUID" = "([0-9A-Fa-f-]{36})"/.exec(text)?.[1]?.toLowerCase();

function parsePositive(text: string | undefined): number | undefined {
  const number = Number(text);
  return text !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}

/** The second the kernel started, from `kern.boottime`: `{ sec = 1783850000, usec = 12 } Sun Jul 12 …`. */
const parseBootSecond = (text: string | undefined): string | undefined => /sec = (\d+)/.exec(text ?? '')?.[1];

/** How many processes there are, from `ps -axo pid=`. */
export const countProcesses = (text: string): number | undefined => text.match(/^\s*\d+\s*$/gm)?.length;

/** The first IPv4 address of `tailscale ip -4`. */
export const parseTailscaleIp = (text: string): string | undefined => /^\d+\.\d+\.\d+\.\d+$/m.exec(text)?.[0];

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
