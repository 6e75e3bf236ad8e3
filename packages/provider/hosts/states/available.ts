import type { MacHost } from '@minifleet/api';
import { isQuarantined } from '../failure-record.ts';
import type { StateHandler, StateResult } from '../host-scope.ts';
import { deleteLeftNodes } from '../left-nodes.ts';

/** A free host. Its status keeps nothing of its last machine. */
export const available: StateHandler = async (scope, deps) => {
  const { host, server } = scope;
  const { clock } = deps;
  forgetConsumer(host);
  if (host.status?.quarantine && !isQuarantined(host, clock.now())) delete host.status.quarantine;
  // Another user has it, or a machine of the previous system that claims it next: its Node stays, even while it is not Ready.
  if (server && !server.name.startsWith(host.spec.pool) && host.spec.source.scaleway)
    return notReady(`the server is named ${server.name} at the vendor, outside the pool ${host.spec.pool}`);
  await deleteLeftNodes(scope, deps);
  if (server && server.state !== 'ready') return notReady(`the vendor reports the server as ${server.stateWord}`);
  return { ready: true, reason: 'Available', message: '' };
};

const notReady = (message: string): StateResult => ({
  ready: false,
  reason: 'NotReady',
  message: `Available: ${message}`,
});

/** Fields of the status that describe the work for one machine. */
const OF_THE_CONSUMER = [
  'plan',
  'steps',
  'currentStep',
  'job',
  'contact',
  'remedies',
  'servedSince',
  'addresses',
] as const;

/** Conditions of a held host. */
const CONSUMER_CONDITIONS: ReadonlySet<string> = new Set([
  'OSImageCurrent',
  'CredentialsReady',
  'HostBootstrapped',
  'LocalNetworkGranted',
]);

/** Removes everything that describes one machine from the status; the next machine starts from nothing. */
export function forgetConsumer({ status }: MacHost): void {
  if (!status) return;
  for (const field of OF_THE_CONSUMER) delete status[field];
  if (status.conditions) status.conditions = status.conditions.filter(({ type }) => !CONSUMER_CONDITIONS.has(type));
}
