import { milliseconds, seconds } from '@minifleet/clock';
import { setCondition } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import { ensureCredentials } from '../ensure-credentials.ts';
import { fenceHost } from '../fence.ts';
import { foreignName, leaveToOthers, named } from '../foreign-host.ts';
import type { HandlerDeps, HostScope, StateHandler, StateResult } from '../host-scope.ts';
import { vendorNameState } from '../vendor-name.ts';
import { missingCredentials } from '../work.ts';

const RENAME_POLL = seconds(10);
const VENDOR_POLL = seconds(30);
const NEXT_RECONCILE = seconds(1);

/** A machine claimed the host. The name at the vendor is changed to show it, and the credentials are collected. */
export const claimed: StateHandler = async (scope, deps) => {
  const { host, consumer } = scope;
  if (!consumer) return waiting('the machine does not exist yet, or no longer', RENAME_POLL);
  // The reference in the machine is written first, so that the machine of a crashed provider finds its host.
  const held = consumer.spec.claimRef?.name;
  if (held !== undefined && held !== host.metadata.name)
    return leaveToOthers('Claimed', scope, deps, `its machine holds ${held}`);
  if (held === undefined || !host.spec.desired)
    return waiting(`${consumer.metadata.name} has not written its spec.claimRef yet`);
  const foreign = await foreignName(scope);
  if (foreign !== undefined) return leaveToOthers('Claimed', scope, deps, named(foreign));
  const server = await mirrorName(scope, deps);
  if (!server) return waiting('the vendor does not report the new name yet', RENAME_POLL);
  // An installation changes the password, and the vendor returns the old one until it is done.
  if (server.state !== 'ready') return waiting(`the vendor reports the server as ${server.stateWord}`, VENDOR_POLL);
  if (!(await ensureCredentials(scope, server, deps))) return missingCredentials('Claimed', host);
  return waiting('the host is bootstrapped next', NEXT_RECONCILE);
};

const waiting = (message: string, again = milliseconds(0)): StateResult => ({
  ready: false,
  reason: 'NotReady',
  message: `Claimed: ${message}`,
  ...(again > 0 ? { again } : {}),
});

/**
 * Changes the name at the vendor to that of the machine and returns the server once it has the name. The vendor has no conditional
 * writes, so the claim is checked before and after: a process that is no longer the leader restores the name that it found.
 */
async function mirrorName({ host, vendor, server: listed }: HostScope, deps: HandlerDeps): Promise<Server | undefined> {
  const { client, clock, clusterId } = deps;
  const name = host.spec.consumerRef?.name ?? '';
  if (!vendor) {
    setCondition(host, { type: 'NameMirrored', status: 'True', reason: 'NotRented', message: '' }, clock);
    return listed;
  }
  const ref = { zone: host.spec.source.scaleway?.zone ?? '', id: host.metadata.name };
  const server = listed && vendorNameState(listed.name, host) === 'mirrored' ? listed : await vendor.server(ref);
  if (!server) return undefined;
  if (server.name === name) {
    setCondition(host, { type: 'NameMirrored', status: 'True', reason: 'NameMirrored', message: name }, clock);
    return server;
  }
  await fenceHost(client, host, clusterId);
  await vendor.rename(ref, name);
  try {
    await fenceHost(client, host, clusterId);
  } catch (error) {
    if (vendorNameState(server.name, host) === 'free') await vendor.rename(ref, server.name);
    throw error;
  }
  const renamed = await vendor.server(ref);
  const mirrored = renamed?.name === name;
  const message = mirrored ? name : `still ${renamed?.name}`;
  const [status, reason] = mirrored ? (['True', 'NameMirrored'] as const) : (['False', 'RenamePending'] as const);
  setCondition(host, { type: 'NameMirrored', status, reason, message }, clock);
  return mirrored ? renamed : undefined;
}
