import { FILE_VAULT_OFF, type HostView, readFileVault } from '@minifleet/host';
import { type Diagnosis, healthy, problem, unknown } from '../diagnosis/diagnosis.ts';
import { formatBytes } from '../host/facts/facts-view.ts';
import { type DiskUsage, diskFrom } from '../host/facts/parse-facts.ts';
import type { FleetApiServer } from './find-fleet.ts';

/** Facts of a Mac that decide if it can join a fleet. All are readable without root. */
export interface PreparationFacts {
  readonly user: string;
  /** `arm64`. */
  readonly machine: string;
  /** `26.3`; empty if unknown. */
  readonly macos: string;
  readonly disk: DiskUsage | undefined;
  readonly fileVault: string;
  readonly groups: readonly string[];
  /** Account of auto-login; empty without auto-login. */
  readonly autoLogin: string;
  /** Account at the screen; `root` at the login window. */
  readonly screen: string;
  /** LocalHostName, the Bonjour name. */
  readonly name: string;
  readonly endpoints: readonly { readonly endpoint: FleetApiServer; readonly reached: boolean }[];
}

/** Reads all facts in one round trip. */
export async function readMacFacts(
  host: HostView,
  user: string,
  endpoints: readonly FleetApiServer[],
): Promise<PreparationFacts> {
  const stdoutOf = async (...argv: readonly [string, ...string[]]): Promise<string> =>
    (await host.query(argv)).stdout.trim();
  // The checks print these. Other output than one word comes from a command that failed, and is not printed.
  const wordOf = async (...argv: readonly [string, ...string[]]): Promise<string> =>
    /^[\w.-]{1,64}$/.exec(await stdoutOf(...argv))?.[0] ?? '';
  const window = '/Library/Preferences/com.apple.loginwindow';
  const [machine, macos, df, fileVault, groups, autoLogin, screen, name, ...reached] = await Promise.all([
    wordOf('/usr/bin/uname', '-m'),
    wordOf('/usr/bin/sw_vers', '-productVersion'),
    stdoutOf('/bin/df', '-k', '/System/Volumes/Data'),
    readFileVault(host),
    stdoutOf('/usr/bin/id', '-Gn', user),
    wordOf('/usr/bin/defaults', 'read', window, 'autoLoginUser'),
    wordOf('/usr/bin/stat', '-f', '%Su', '/dev/console'),
    wordOf('/usr/sbin/scutil', '--get', 'LocalHostName'),
    ...endpoints.map(async endpoint => {
      const { exitCode } = await host.query(['/usr/bin/nc', '-z', '-G', '5', endpoint.host, String(endpoint.port)]);
      return { endpoint, reached: exitCode === 0 };
    }),
  ]);
  const disk = diskFrom(df);
  return {
    ...{ user, machine, macos, disk, fileVault, autoLogin, screen, name },
    groups: groups.split(/\s+/),
    endpoints: reached,
  };
}

// Tart needs Ventura, and the runtime of the agent 13.5.
const OLDEST = '13.5';
// A macOS image takes about 85 GB.
const NEEDED_BYTES = 100_000_000_000;

/** Checks a Mac before anything is changed on it. */
export const checkMac = (facts: PreparationFacts): Diagnosis[] => [
  facts.machine === 'arm64'
    ? healthy('processor', 'Apple silicon')
    : problem('processor', `${facts.machine || 'unknown'}, expected arm64`, 'use a Mac with Apple silicon'),
  checkMacos(facts),
  checkDisk(facts),
  facts.fileVault === FILE_VAULT_OFF
    ? healthy('FileVault', 'off')
    : problem(
        'FileVault',
        `${facts.fileVault} The Mac would stop at the unlock screen of each boot, and macOS has no auto-login with FileVault`,
        'on the Mac: sudo fdesetup disable, then wait until fdesetup status reports only that it is off',
      ),
  checkAccount(facts),
  checkScreen(facts),
  ...facts.endpoints.map(checkRoute),
];

function checkMacos({ macos }: PreparationFacts): Diagnosis {
  if (macos === '') return unknown('macOS', 'output of sw_vers not recognized');
  if (isOlder(macos, OLDEST))
    return problem('macOS', `${macos}, expected ${OLDEST} or later`, 'update macOS in System Settings');
  return healthy('macOS', macos);
}

function isOlder(one: string, other: string): boolean {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
}

function checkDisk({ disk }: PreparationFacts): Diagnosis {
  if (!disk) return unknown('disk space', 'output of df not recognized');
  const message = `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.totalBytes)} free`;
  if (disk.freeBytes >= NEEDED_BYTES) return healthy('disk space', message);
  const needed = `${message}, expected at least ${formatBytes(NEEDED_BYTES)} for one macOS image`;
  return problem('disk space', needed, 'delete files on the Mac');
}

function checkAccount({ user, groups }: PreparationFacts): Diagnosis {
  if (groups.includes('admin')) return healthy('account', `${user} is an administrator`);
  return problem(
    'account',
    `${user} is not an administrator and cannot use sudo`,
    'choose an administrator as <user>@<address>, or make it one in System Settings, Users & Groups',
  );
}

/** VMs need the GUI session of the account that runs the agent. */
function checkScreen({ user, autoLogin, screen }: PreparationFacts): Diagnosis {
  const other = [autoLogin, screen].find(name => name !== '' && !SYSTEM_ACCOUNTS.has(name) && name !== user);
  if (other === undefined)
    return healthy('screen', screen === user ? `${user} is logged in` : 'no other account uses it');
  return problem(
    'screen',
    `${other} is logged in or has auto-login, expected ${user}, whose session the VMs need`,
    `use ${other}@<address>, or log ${other} out and turn its automatic login off in System Settings`,
  );
}

const SYSTEM_ACCOUNTS: ReadonlySet<string> = new Set(['root', '_mbsetupuser', '_windowserver', 'loginwindow']);

function checkRoute({ endpoint, reached }: PreparationFacts['endpoints'][number]): Diagnosis {
  const { cluster, host, port } = endpoint;
  if (reached) return healthy('API server', `reached at ${host}:${port}`);
  return problem(
    'API server',
    `the Mac cannot connect to ${host}:${port}, the controlPlaneEndpoint of Cluster ${cluster}`,
    'open this port from the Mac, or set controlPlaneEndpoint of the ExternalControlPlane to an address that the Mac can reach',
  );
}
