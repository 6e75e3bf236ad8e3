import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { type Disturbance, defineStep, drift, type Finding, type Removal } from '../../engine/step.ts';
import type { Artifact, FileInfo, Host, HostView } from '../../host.ts';
import { fileFailure, scriptFailure } from '../../script-failure.ts';

export const HOST_TART_ARCHIVE_UNUSABLE = defineError('HOST_TART_ARCHIVE_UNUSABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostTartArchiveUnusable',
  text: '{address}: {archive} is not usable ({why}); provide upstream’s tart.tar.gz of version {version}; the installed Tart is unchanged',
});

export const HOST_TART_IN_USE = defineError('HOST_TART_IN_USE', {
  retry: { after: minutes(5) },
  reason: 'HostTartInUse',
  text: '{address}: VMs are running with the Tart to be replaced; drain the host first; nothing was changed',
});

export const TART_APP = '/usr/local/lib/tart.app';
export const TART_PROGRAM = `${TART_APP}/Contents/MacOS/tart`;
const TART_ARCHIVE = '/usr/local/lib/tart.tar.gz';

/** A script, not a link: signature and virtualization entitlement belong to the bundle that the program runs from. */
const TART_COMMAND = { path: '/usr/local/bin/tart', mode: 0o755, owner: 'root:wheel' } as const;
const TART_COMMAND_TEXT = `#!/bin/sh\nexec ${TART_PROGRAM} "$@"\n`;

/** State of Tart on a host, from one round trip. */
interface TartState {
  /** Archive hash and program hash recorded by tart-install.sh. */
  readonly origin: string | undefined;
  readonly programHash: string | undefined;
  readonly verified: boolean;
  /** Reported version; undefined if it does not run. */
  readonly version: string | undefined;
  readonly command: string | undefined;
  readonly commandInfo: FileInfo | undefined;
  readonly vmsRun: boolean;
}

async function readTart(host: HostView): Promise<TartState> {
  const [origin, hashed, verified, output, command, commandInfo, vms] = await Promise.all([
    host.readText(`${TART_APP}.origin`),
    host.query(['/usr/bin/shasum', '-a', '256', TART_PROGRAM]),
    host.query(['/usr/bin/codesign', '--verify', TART_APP], { root: true }),
    host.query([TART_PROGRAM, '--version']),
    host.readText(TART_COMMAND.path),
    host.fileInfo(TART_COMMAND.path),
    host.query(['/usr/bin/pgrep', '-f', VM_WORKLOAD]),
  ]);
  return {
    origin: origin?.trim(),
    programHash: hashed.exitCode === 0 ? hashed.stdout.slice(0, 64) : undefined,
    verified: verified.exitCode === 0,
    version: output.exitCode === 0 ? output.stdout.trim() : undefined,
    command,
    commandInfo,
    vmsRun: vms.exitCode === 0,
  };
}

interface TartStepSettings {
  readonly version: string;
  /** Upstream's `tart.tar.gz` with the whole `tart.app`. */
  readonly archive: Artifact;
}

/** The whole Tart bundle, and a command that runs it from there. */
export const tart = defineStep<TartStepSettings>({
  id: 'tart',
  title: 'Tart',
  disturbs: 'running VMs',
  timeout: minutes(15),

  async inspect(host, want) {
    const state = await readTart(host);
    const differences = [bundleDifference(state, expectedTart(want)), commandDifference(state)];
    return drift(
      differences.filter(difference => difference !== undefined),
      disturbanceOf(state, expectedTart(want)),
    );
  },

  async change(host, want, finding) {
    const state = await readTart(host);
    const replaced = bundleDifference(state, expectedTart(want)) !== undefined;
    if (replaced) await install(host, want, finding);
    if (commandDifference(state) !== undefined) await host.writeFile(TART_COMMAND, TART_COMMAND_TEXT);
    return replaced ? [`installed Tart ${want.version}${state.version ? `, replacing ${state.version}` : ''}`] : [];
  },
});

const expectedTart = ({ version, archive }: TartStepSettings): ExpectedTart => ({ version, archive: archive.sha256 });

const FAILURES: Readonly<Record<number, (output: string) => string>> = {
  84: () => 'it contains no tart.app',
  85: () => 'the code signature of its tart.app is broken',
  86: output => `it contains version ${output.trim() || 'unknown'}`,
};
const VMS_RUN = 87;

/** Uploads first, then unpacks and tests on the host, then renames: after an interruption nothing is uploaded twice. */
async function install(host: Host, { version, archive }: TartStepSettings, finding: Finding): Promise<void> {
  await host.upload({ path: TART_ARCHIVE, mode: 0o600, owner: 'root:wheel' }, archive);
  // The caller allowed the disturbance of the VMs that were found, not of one started since.
  const allowed = finding.state === 'drift' && finding.disturbs === 'running VMs';
  const args = [TART_ARCHIVE, archive.sha256, version, host.user, allowed ? 'anyhow' : 'idle'];
  const ran = await host.script('tart-install', args, { timeout: minutes(5) });
  if (ran.exitCode === 0) return;
  const { address } = host;
  if (ran.exitCode === VMS_RUN) throw HOST_TART_IN_USE({ address });
  const full = fileFailure({ path: TART_APP, address }, ran.stderr);
  const why = FAILURES[ran.exitCode ?? 0]?.(ran.stdout);
  if (why && !full) throw HOST_TART_ARCHIVE_UNUSABLE({ archive: archive.name, address, why, version });
  throw full ?? scriptFailure(host, { command: 'tart-install', path: TART_APP }, ran);
}

interface ExpectedTart {
  readonly version: string;
  /** SHA-256 of the archive. */
  readonly archive: string;
}

/** Reason to replace the bundle; undefined if there is none. */
function bundleDifference(state: TartState, { version, archive }: ExpectedTart): string | undefined {
  if (state.programHash === undefined) return `Tart is not installed, expected ${version}`;
  const [from, hash] = (state.origin ?? '').split(' ');
  if (state.version === undefined) return `Tart is installed but does not run, expected ${version}`;
  if (state.version !== version) return `Tart is ${state.version}, expected ${version}`;
  if (from !== archive) return `Tart ${version} is installed, but not from the expected archive`;
  if (hash !== state.programHash) return 'the Tart program was modified after it was unpacked';
  return state.verified ? undefined : 'the code signature of the Tart bundle is broken';
}

function commandDifference({ command, commandInfo }: TartState): string | undefined {
  const { path } = TART_COMMAND;
  if (commandInfo?.kind === 'link') return `${path} is a link, expected a script that runs Tart from its bundle`;
  if (command === undefined || commandInfo === undefined) return `${path} is missing`;
  if (command !== TART_COMMAND_TEXT) return `${path} does not run Tart from its bundle`;
  const { uid, gid, mode } = commandInfo;
  return uid === 0 && gid === 0 && mode === TART_COMMAND.mode
    ? undefined
    : `${path} is not owned by root with mode 0755`;
}

/** The hypervisor is never replaced under a VM unless allowed. A first installation disturbs nothing. */
function disturbanceOf(state: TartState, want: ExpectedTart): Disturbance {
  if (bundleDifference(state, want) === undefined || state.programHash === undefined) return 'nothing';
  return state.vmsRun ? 'running VMs' : 'new VMs';
}

/**
 * Pattern for `pgrep -f`: processes under which Tart and the tools must not be replaced. A push reads its VM for
 * minutes, a bake calls Packer and Tart repeatedly, and a running job may start one.
 */
export const VM_WORKLOAD = '(^|/)(tart (run|push)|packer build|Runner\\.Worker)( |$)';

/** Removes the Tart that Minifleet installed, and Tart's folder if it holds no VM and no image. Any other Tart stays. */
export const tartRemoval: Removal = {
  async inspect(host) {
    const { origin, command } = await readTart(host);
    return drift([
      ...(origin === undefined ? [] : [`${TART_APP} still exists`]),
      ...(command === TART_COMMAND_TEXT ? [`${TART_COMMAND.path} still runs it`] : []),
    ]);
  },
  async change(host) {
    const ran = await host.script('remove-tart', [TART_APP, TART_COMMAND.path, TART_COMMAND_TEXT, host.user]);
    if (ran.exitCode !== 0) throw scriptFailure(host, { command: 'remove-tart', path: TART_APP }, ran);
    return ['removed Tart'];
  },
};
