import { formatDuration, milliseconds } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import { HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED } from '@minifleet/host';
import { type Diagnosis, healthy, problem } from '../../diagnosis/diagnosis.ts';

/** The host answered: how fast, and who it proved to be. */
export const reached = (roundTripMs: number, hostKey: string | undefined, trusted: string): Diagnosis[] => [
  healthy('reachable', `answers within ${formatDuration(milliseconds(roundTripMs))}`),
  healthy('host key', `${hostKey ?? 'none shown'}, ${trusted}`),
];

/** It did not, or is not who it should be: nothing else can be looked at. */
export function unreached({ code, message }: CataloguedError): Diagnosis {
  if (code === HOST_KEY_REFUSED.code) {
    return problem(
      'reachable',
      message,
      'paste the public key at the vendor’s console: minifleet prepare-fleet-host prints it',
    );
  }
  if (code === HOST_IDENTITY_CHANGED.code) {
    return problem('host key', message, 'reinstalled? remove that line and run it again with --accept-new-host-key');
  }
  return problem('reachable', message, 'look at the host in the vendor’s console: is it on, and is its address right?');
}
