import type { FileInfo, HostView } from '../../host.ts';
import { WORK_ON_HOST } from '../work-on-host.ts';

export const TART_APP = '/usr/local/lib/tart.app';
export const TART_PROGRAM = `${TART_APP}/Contents/MacOS/tart`;
export const TART_ARCHIVE = '/usr/local/lib/tart.tar.gz';

/** A script, not a link: the signature and the virtualization entitlement belong to the bundle the program is run from. */
export const TART_COMMAND = { path: '/usr/local/bin/tart', mode: 0o755, owner: 'root:wheel' } as const;
export const TART_COMMAND_TEXT = `#!/bin/sh\nexec ${TART_PROGRAM} "$@"\n`;

/** What a host has of Tart, from one round trip. */
export interface TartState {
  /** The archive it was unpacked from and the hash its program had then, as tart-install.sh wrote them down. */
  readonly origin: string | undefined;
  readonly programHash: string | undefined;
  readonly verified: boolean;
  /** What it says of itself; undefined when it does not run. */
  readonly version: string | undefined;
  readonly command: string | undefined;
  readonly commandInfo: FileInfo | undefined;
  readonly vmsRun: boolean;
}

export async function lookAtTart(host: HostView): Promise<TartState> {
  const [origin, hashed, verified, said, command, commandInfo, vms] = await Promise.all([
    host.readText(`${TART_APP}.origin`),
    host.look(['/usr/bin/shasum', '-a', '256', TART_PROGRAM]),
    host.look(['/usr/bin/codesign', '--verify', TART_APP], { root: true }),
    host.look([TART_PROGRAM, '--version']),
    host.readText(TART_COMMAND.path),
    host.fileInfo(TART_COMMAND.path),
    host.look(['/usr/bin/pgrep', '-f', WORK_ON_HOST]),
  ]);
  return {
    origin: origin?.trim(),
    programHash: hashed.exitCode === 0 ? hashed.stdout.slice(0, 64) : undefined,
    verified: verified.exitCode === 0,
    version: said.exitCode === 0 ? said.stdout.trim() : undefined,
    command,
    commandInfo,
    vmsRun: vms.exitCode === 0,
  };
}
