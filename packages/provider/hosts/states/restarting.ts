import type { HostRemedies } from '@minifleet/api';
import { minutes, seconds, timestamp } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { fenceHost } from '../fence.ts';
import { foreignName, leaveToOthers, named } from '../foreign-host.ts';
import type { HandlerDeps, HostScope, StateHandler, StateResult } from '../host-scope.ts';
import { truncated } from '../journal.ts';

const NEXT_RECONCILE = seconds(1);
/** Shorter than a boot: the next job waits for the host itself, and must only not start before the host goes down. */
const DOWN_WITHIN = { restart: minutes(2), reinstall: minutes(1) };
/** An older request is no longer valid: no provider ran since, or etcd was restored from a backup, and the host may serve by now. */
const REQUEST_VALID = minutes(10);

/** The request was recorded in the reconcile before. However often the provider dies here, the host is restarted once. */
export const restarting: StateHandler = (scope, deps) => askVendor('restart', scope, deps);

/** As for a restart. The password and the host key change with the installation. */
export const reinstalling: StateHandler = (scope, deps) => askVendor('reinstall', scope, deps);

async function askVendor(remedy: 'restart' | 'reinstall', scope: HostScope, deps: HandlerDeps): Promise<StateResult> {
  const { host, vendor, server } = scope;
  const { clock, client, clusterId, credentials } = deps;
  const requested = host.status?.remedies?.[remedy];
  if (!vendor || !requested) throw new Error(`${remedy} of a host without a vendor or a request`);
  const verb = remedy === 'restart' ? 'Restarting' : 'Reinstalling';
  const foreign = await foreignName(scope);
  if (foreign !== undefined) return leaveToOthers(verb, scope, deps, named(foreign));
  if (clock.now() - Date.parse(requested.requestTime) > REQUEST_VALID) return withdraw(remedy, scope);
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
  const message = refusal ? `the vendor refused: ${refusal.message}` : 'requested from the vendor';
  return { ready: false, reason: 'NotReady', message: `${verb}: ${message}`, again: NEXT_RECONCILE };
}

/** The first plan is tried again, without the failures that led to the request. They may be as old as the request. */
function withdraw(remedy: 'restart' | 'reinstall', { host }: HostScope): StateResult {
  const { contact: _contact, ...status } = host.status ?? {};
  const { [remedy]: _request, ...remedies } = status.remedies ?? {};
  host.status = { ...status, remedies, steps: (status.steps ?? []).filter(({ state }) => state === 'Done') };
  return {
    ready: false,
    reason: 'NotReady',
    message: 'Bootstrapping: an outdated request to the vendor is withdrawn',
    again: NEXT_RECONCILE,
  };
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
