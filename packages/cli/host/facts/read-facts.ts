import type { CataloguedError } from '@minifleet/errors';
import {
  HOST_SUDO_NEEDED,
  type HostView,
  isSealed,
  type LeaseStatus,
  type Ledger,
  readAutoLogin,
  readFileVault,
  readLease,
  readLedger,
} from '@minifleet/host';
import {
  bootTimeFrom,
  type ClockSkew,
  type DiskUsage,
  diskFrom,
  macosFrom,
  numberIn,
  skewFrom,
} from './parse-facts.ts';

/** Facts of a host, independent of its spec. Undefined values are unknown. */
export interface InspectedFacts {
  readonly macos: { readonly version: string; readonly build: string } | undefined;
  readonly model: string | undefined;
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Computed with the host's own clock, so that clock skew does not matter. */
  readonly uptimeSeconds: number | undefined;
  readonly disk: DiskUsage | undefined;
  readonly skew: ClockSkew | undefined;
  /** Output of `fdesetup status`. */
  readonly fileVault: string;
  /** True if sudo needs no password. */
  readonly sudo: boolean;
  readonly screen: LoginScreen | undefined;
  readonly ledger: Ledger | undefined;
  readonly lease: LeaseStatus | undefined;
}

/** State of the GUI login. Inspection needs sudo. */
interface LoginScreen {
  readonly session: boolean;
  readonly loginWindowRuns: boolean;
  readonly sealed: boolean;
}

/** Reads all facts concurrently. */
export async function readFacts(host: HostView, user: string): Promise<InspectedFacts> {
  const asked = host.clock.now();
  const stdoutOf = async (...argv: readonly [string, ...string[]]): Promise<string> => (await host.query(argv)).stdout;
  const [swVers, model, cpus, memory, boot, df, date, fileVault, sudo, screen, ledger, lease] = await Promise.all([
    stdoutOf('/usr/bin/sw_vers'),
    stdoutOf('/usr/sbin/sysctl', '-n', 'hw.model'),
    stdoutOf('/usr/sbin/sysctl', '-n', 'hw.ncpu'),
    stdoutOf('/usr/sbin/sysctl', '-n', 'hw.memsize'),
    stdoutOf('/usr/sbin/sysctl', '-n', 'kern.boottime'),
    stdoutOf('/bin/df', '-k', '/System/Volumes/Data'),
    datedAnswer(host),
    readFileVault(host),
    host.query(['/usr/bin/sudo', '-k', '-n', '/usr/bin/true']),
    readScreen(host, user),
    readLedger(host),
    readLease(host),
  ]);
  const booted = bootTimeFrom(boot);
  return {
    macos: macosFrom(swVers),
    model: model.trim() || undefined,
    cpus: numberIn(cpus),
    memoryBytes: numberIn(memory),
    uptimeSeconds: booted !== undefined && date.seconds !== undefined ? date.seconds - booted : undefined,
    disk: diskFrom(df),
    skew: date.seconds === undefined ? undefined : skewFrom(date.seconds, { asked, answered: date.answered }),
    fileVault,
    sudo: sudo.exitCode === 0,
    screen,
    ledger,
    lease,
  };
}

async function datedAnswer(
  host: HostView,
): Promise<{ readonly seconds: number | undefined; readonly answered: number }> {
  const { stdout } = await host.query(['/bin/date', '+%s']);
  return { seconds: numberIn(stdout), answered: host.clock.now() };
}

async function readScreen(host: HostView, user: string): Promise<LoginScreen | undefined> {
  try {
    const { session, loginWindowRuns, content } = await readAutoLogin(host, user);
    return { session, loginWindowRuns, sealed: content !== undefined && isSealed(content) };
  } catch (error) {
    if ((error as Partial<CataloguedError>).code === HOST_SUDO_NEEDED.code) return undefined;
    throw error;
  }
}
