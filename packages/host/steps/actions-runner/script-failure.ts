import type { CataloguedError } from '@minifleet/errors';
import { createRedactor, secretsIn } from '@minifleet/secret';
import { HOST_COMMAND_FAILED } from '../../errors.ts';
import { fileFailure } from '../../file-failure.ts';
import type { Host, Ran } from '../../host.ts';
import { DIRECTORY } from './runner-place.ts';

/** The last lines a program said, without any secret of what is wanted. */
export const lastWords = (ran: Ran, want: unknown): string => {
  const lines = `${ran.stdout}\n${ran.stderr}`.split('\n').filter(line => line.trim() !== '');
  return createRedactor(secretsIn(want)).redact(lines.slice(-3).join(' ').slice(-400));
};

/** The error for a script that ended in a way it does not name. */
export function failure(
  host: Host,
  { script, ran, want }: { readonly script: string; readonly ran: Ran; readonly want: unknown },
): CataloguedError {
  const named = fileFailure({ path: DIRECTORY, address: host.address }, ran.stderr);
  const status = ran.exitCode === undefined ? 'a signal' : `exit code ${ran.exitCode}`;
  const output = lastWords(ran, want) || 'it said nothing';
  return named ?? HOST_COMMAND_FAILED({ command: script, address: host.address, status, output });
}
