import type { CataloguedError } from '@minifleet/errors';
import {
  HOST_COMMAND_FAILED,
  HOST_DISK_FULL,
  HOST_FILE_CHANGED,
  HOST_FILE_READ_ONLY,
  HOST_UPLOAD_INCOMPLETE,
} from './errors.ts';
import type { CommandResult, Host } from './host.ts';

const LOCKED = /(Read-only file system|Operation not permitted|Permission denied)/;

/** The named error behind a program's complaint about a file, if it is one we know. */
export function fileFailure(
  where: { readonly path: string; readonly address: string },
  complaint: string,
): CataloguedError | undefined {
  if (/No space left on device/.test(complaint)) return HOST_DISK_FULL(where);
  const why = LOCKED.exec(complaint)?.[1];
  return why === undefined ? undefined : HOST_FILE_READ_ONLY({ ...where, why });
}

/** What a script was about, for people. */
interface ScriptSubject {
  readonly command: string;
  /** The file it writes: a full disk and a lock are said of it. */
  readonly path: string;
}

/** What was sent did not arrive whole; somebody else began the same meanwhile. */
const NOT_WHOLE = 80;
const CHANGED_MEANWHILE = 81;
const MOST_OUTPUT = 500;

/** The named error behind a script that did not exit with 0. */
export function scriptFailure(
  host: Pick<Host, 'address'>,
  { command, path }: ScriptSubject,
  ran: CommandResult,
): CataloguedError {
  const { address } = host;
  const { exitCode, stderr } = ran;
  if (exitCode === NOT_WHOLE) return HOST_UPLOAD_INCOMPLETE({ path, address });
  if (exitCode === CHANGED_MEANWHILE) return HOST_FILE_CHANGED({ path, address });
  const status = exitCode === undefined ? 'a signal' : `exit code ${exitCode}`;
  return (
    fileFailure({ path, address }, stderr) ?? HOST_COMMAND_FAILED({ command, address, status, output: outputOf(ran) })
  );
}

/** The end of what it said: the last words tell why it stopped. */
export const outputOf = ({ stdout, stderr }: CommandResult): string =>
  (stderr.trim() || stdout.trim() || 'no output').slice(-MOST_OUTPUT);
