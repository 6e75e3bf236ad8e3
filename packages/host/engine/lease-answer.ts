/** What `lease.sh` answers, and what that means. */
import { type Duration, formatDuration, minutes, seconds } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import { HOST_BUSY, HOST_COMMAND_FAILED, HOST_LEASE_LOST } from '../errors.ts';
import { fileFailure } from '../file-failure.ts';
import type { Ran } from '../host.ts';

/** Without a sign of life for this long a lease may be taken over. */
export const LEASE_STALE_AFTER: Duration = minutes(2);

/** Where a host keeps who may change it, and what was done to it. */
export const STATE_FOLDER = '/var/db/minifleet';

const BUSY = 75;
const LOST = 76;
const LEDGER_UNWRITTEN = 77;

/** The error behind an answer, if the lease is not as it was asked for. */
export function refusal(address: string, ran: Ran): CataloguedError | undefined {
  const { exitCode, stdout, stderr } = ran;
  if (exitCode === 0 || exitCode === LEDGER_UNWRITTEN) return undefined;
  const holder = stdout.trim().split(' ').slice(1).join(' ') || 'someone else';
  if (exitCode === LOST) return HOST_LEASE_LOST({ address, holder });
  if (exitCode === BUSY) return HOST_BUSY({ address, holder, lease: formatDuration(LEASE_STALE_AFTER) });
  const values = { command: 'lease', address, status: `exit code ${exitCode}`, output: lastLine(stderr) };
  return fileFailure({ path: STATE_FOLDER, address }, stderr) ?? HOST_COMMAND_FAILED(values);
}

/** Whether someone else has it: there is nothing left to let go of then. */
export const isAnothers = ({ code }: CataloguedError): boolean =>
  code === HOST_BUSY.code || code === HOST_LEASE_LOST.code;

/** Whose lease was taken over, if its holder had not let it go: `<seconds> <token> <holder>`. */
export function givenUpOn({ stdout }: Ran): string | undefined {
  const [, silent, holder] = /^(\d+) \S+ (.*)/.exec(stdout) ?? [];
  if (silent === undefined) return undefined;
  return `${holder} gave no sign of life for ${formatDuration(seconds(Number(silent)))}: its lease was taken over`;
}

/** Why the ledger is not there, if it could not be written. */
export const unwrittenLedger = ({ exitCode, stderr }: Ran): string | undefined =>
  exitCode === LEDGER_UNWRITTEN ? `the ledger could not be written (${lastLine(stderr)})` : undefined;

const lastLine = (text: string): string => text.trim().split('\n').at(-1) || 'it said nothing';
