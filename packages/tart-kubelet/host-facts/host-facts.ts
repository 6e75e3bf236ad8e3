import { createHash } from 'node:crypto';
import { parseBootSecond, parsePlatformUuid, parsePositive, parseSwVers, parseSysctl } from './parse-answers.ts';
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
