import type { CataloguedError } from '@minifleet/errors';
import {
  HOST_COMMAND_FAILED,
  HOST_DISK_FULL,
  HOST_FILE_CHANGED,
  HOST_FILE_READ_ONLY,
  HOST_UPLOAD_INCOMPLETE,
} from './errors.ts';
import type { Host, HostCommandResult } from './host.ts';

const LOCKED = /(Read-only file system|Operation not permitted|Permission denied)/;

/** Maps file errors of a program to a catalogued error, if known. */
export function fileFailure(
  where: { readonly path: string; readonly address: string },
  complaint: string,
): CataloguedError | undefined {
  if (/No space left on device/.test(complaint)) return HOST_DISK_FULL(where);
  const why = LOCKED.exec(complaint)?.[1];
  return why === undefined ? undefined : HOST_FILE_READ_ONLY({ ...where, why });
}

/** Subject of a script, for messages. */
interface ScriptSubject {
  readonly command: string;
  /** File that the script writes, named in disk-full and lock errors. */
  readonly path: string;
}

/** Exit codes: the input arrived incomplete; another process started the same write meanwhile. */
const EXIT_INCOMPLETE = 80;
const EXIT_CONFLICT = 81;
const MAX_OUTPUT_LENGTH = 500;

/** Maps a failed script to a catalogued error. */
export function scriptFailure(
  host: Pick<Host, 'address'>,
  { command, path }: ScriptSubject,
  ran: HostCommandResult,
): CataloguedError {
  const { address } = host;
  const { exitCode, stderr } = ran;
  if (exitCode === EXIT_INCOMPLETE) return HOST_UPLOAD_INCOMPLETE({ path, address });
  if (exitCode === EXIT_CONFLICT) return HOST_FILE_CHANGED({ path, address });
  const status = exitCode === undefined ? 'a signal' : `exit code ${exitCode}`;
  return (
    fileFailure({ path, address }, stderr) ?? HOST_COMMAND_FAILED({ command, address, status, output: outputOf(ran) })
  );
}

/** End of the output, because the last lines contain the reason. */
export const outputOf = ({ stdout, stderr }: HostCommandResult): string =>
  (stderr.trim() || stdout.trim() || 'no output').slice(-MAX_OUTPUT_LENGTH);
