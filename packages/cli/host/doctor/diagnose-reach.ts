import { formatDuration, milliseconds } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import { HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED } from '@minifleet/host';
import { type Diagnosis, healthy, problem } from '../../diagnosis/diagnosis.ts';

/** Results for a reachable host: round-trip time and host key. */
export const reached = (roundTripMs: number, hostKey: string | undefined, trusted: string): Diagnosis[] => [
  healthy('reachable', `round trip ${formatDuration(milliseconds(roundTripMs))}`),
  healthy('host key', `${hostKey ?? 'none shown'}, ${trusted}`),
];

/** Result for a host that is unreachable or shows another host key. No other check can run. */
export function unreached({ code, message }: CataloguedError): Diagnosis {
  if (code === HOST_KEY_REFUSED.code) {
    return problem(
      'reachable',
      message,
      'add the public key on the host; minifleet prepare-fleet-host prints it with instructions',
    );
  }
  if (code === HOST_IDENTITY_CHANGED.code) {
    return problem(
      'host key',
      message,
      'if the host was reinstalled: remove that line and retry with --accept-new-host-key',
    );
  }
  return problem(
    'reachable',
    message,
    'check in the vendor’s console that the host is powered on and has this address',
  );
}
