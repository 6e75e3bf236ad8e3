import type { HostRemedies } from '@minifleet/api';
import { minutes, seconds, timestamp } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { fenceHost } from '../fence.ts';
import type { HostControllerDeps, HostScope, StateHandler } from '../host-scope.ts';
import { truncated } from '../journal.ts';

const NEXT_RECONCILE = seconds(1);
/** Shorter than a boot: the next job waits for the host itself, and must only not start before the host goes down. */
const DOWN_WITHIN = { restart: minutes(2), reinstall: minutes(1) };

/** The request was recorded in the reconcile before. However often the provider dies here, the host is restarted once. */
export const restarting: StateHandler = (scope, deps) => askVendor('restart', scope, deps);

/** As for a restart. The password and the host key change with the installation. */
export const reinstalling: StateHandler = (scope, deps) => askVendor('reinstall', scope, deps);

async function askVendor(remedy: 'restart' | 'reinstall', scope: HostScope, deps: HostControllerDeps) {
  const { host, vendor, server } = scope;
  const { clock, client, clusterId, credentials } = deps;
  const requested = host.status?.remedies?.[remedy];
  if (!vendor || !requested) throw new Error(`${remedy} of a host without a vendor or a request`);
  await fenceHost(client, host, clusterId);
  const ref = { zone: host.spec.source.scaleway?.zone ?? '', id: host.metadata.name };
  const refusal = await refusalOf(() =>
    remedy === 'restart' ? vendor.reboot(ref) : vendor.reinstall(ref, server?.image.name),
  );
  if (!refusal && remedy === 'reinstall') await credentials.forget(host);
  const result: HostRemedies['restart'] = refusal
    ? { ...requested, refusal: truncated(refusal.message) }
    : { ...requested, acceptedTime: timestamp(clock.now()) };
  host.status = { ...host.status, remedies: { ...host.status?.remedies, [remedy]: result } };
  if (!refusal) postpone(scope, timestamp(clock.now() + DOWN_WITHIN[remedy]));
  const verb = remedy === 'restart' ? 'Restarting' : 'Reinstalling';
  const message = refusal ? `the vendor refused: ${refusal.message}` : 'requested from the vendor';
  return { ready: false, reason: 'NotReady', message: `${verb}: ${message}`, again: NEXT_RECONCILE };
}

/** Retries every failure after the host went down. A rejected key no longer needs an operator after a reinstallation. */
function postpone({ host }: HostScope, nextAttemptTime: string): void {
  const { contact, steps = [] } = host.status ?? {};
  const later = { state: 'Waiting', nextAttemptTime } as const;
  host.status = {
    ...host.status,
    ...(contact ? { contact: { ...contact, ...later } } : {}),
    steps: steps.map(step =>
      step.nextAttemptTime === undefined && step.state !== 'Failed' ? step : { ...step, ...later },
    ),
  };
}

/** Error with which the vendor refused; undefined if it accepted. Other errors are thrown and retried. */
async function refusalOf(ask: () => Promise<void>): Promise<CataloguedError | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (error instanceof CataloguedError) return error;
    throw error;
  }
}
