import { type MacHost, names } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { hasAccess, releasePlan, removeAccess } from '@minifleet/host';
import { findHost } from '../cluster/find-host.ts';
import { macHosts } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import { runPlan } from '../host/converge/converge-host.ts';
import type { HostRequest } from '../host/host-request.ts';
import { withHost } from '../host/with-host.ts';
import { requireLogin } from '../prepare/login.ts';
import { untilAborted } from '../stop.ts';
import { confirmed } from './confirm.ts';
import type { RemoveHostOptions } from './owned-commands.ts';

export const HOST_NOT_OWNED = defineError('HOST_NOT_OWNED', {
  retry: 'operator',
  reason: 'HostNotOwned',
  text: 'MacHost {host}: it is a server of Scaleway, which the provider reinstalls when its Machine is deleted; nothing was changed',
});

export const HOST_IN_USE = defineError('HOST_IN_USE', {
  retry: 'operator',
  reason: 'HostInUse',
  text: 'MacHost {host}: machine {machine} holds it; quarantine the host so that no other machine claims it (minifleet quarantine {host} --reason …), delete the Machine or scale its fleet down, then run this command again; nothing was changed',
});

/**
 * Removes Minifleet from an owned Mac, then its MacHost. The MacHost is quarantined first, so that no machine claims the Mac meanwhile. Its
 * deletion comes last: until then an interrupted removal can be repeated.
 */
export async function removeHost(name: string, options: RemoveHostOptions, context: CliContext): Promise<ExitCode> {
  const found = await withCluster(options, context, client => findHost(client, { name, namespace: undefined }));
  requireFree(found);
  context.output.write(changesOf(found));
  if (options.dryRun) return exitCode.done;
  await confirmed(options, context);
  const host = await quarantine(found, options, context);
  requireFree(host);
  if (!(await cleanMac(requestOf(host, options), context))) return exitCode.failed;
  await withCluster(options, context, client => client.delete(macHosts, { name: host.metadata.name }));
  context.output.write(`machosts.minifleet.dev/${host.metadata.name} deleted; the Mac has left Minifleet.
Restart the Mac when convenient: until then its allow-list for local networks is in effect and its GUI session continues.
`);
  return exitCode.done;
}

function requireFree({ metadata, spec }: MacHost): void {
  const { consumerRef, source } = spec;
  if (!source.owned) throw HOST_NOT_OWNED({ host: metadata.name });
  if (consumerRef) throw HOST_IN_USE({ host: metadata.name, machine: `${consumerRef.namespace}/${consumerRef.name}` });
}

const changesOf = ({
  metadata: { name },
  spec: { source },
}: MacHost): string => `This removes from the Mac at ${source.owned?.address}:
  what machines left: node agent, its VMs and images, Tart, firewall, settings, runner and builder tools
  auto-login, no sleep, the SSH keys of fleets that Minifleet added, the sudo rule; the Mac gets its earlier name back
VMs and images of others, Homebrew and Xcode stay. It also deletes MacHost ${name} from the cluster.
`;

function quarantine({ metadata, spec }: MacHost, options: RemoveHostOptions, context: CliContext): Promise<MacHost> {
  const { clock, who } = context;
  const since = spec.quarantine?.since ?? timestamp(clock.now());
  const body = {
    metadata: { annotations: { [names.annotations.requestedBy]: who } },
    spec: { quarantine: { reason: `minifleet host remove by ${who}`, since } },
  };
  return withCluster(options, context, client => client.patch(macHosts, metadata, { type: 'merge', body }));
}

function requestOf({ spec: { source } }: MacHost, { identity }: RemoveHostOptions): HostRequest {
  const { address = '', port = 22, user, hostKey } = source.owned ?? {};
  return {
    address: { user, host: address, port },
    json: false,
    ...(identity === undefined ? {} : { identity }),
    ...(hostKey === undefined ? {} : { hostKey }),
  };
}

/** True if nothing of Minifleet is left, also after an earlier call that was interrupted. */
function cleanMac(request: HostRequest, context: CliContext): Promise<boolean> {
  return withHost(request, context, async connection => {
    const { host } = connection;
    await requireLogin(request, connection, context);
    if (!(await untilAborted(context, hasAccess(host)))) return true;
    const how = { allow: 'running VMs', reboot: false } as const;
    const run = { connection, plan: releasePlan(), request: { ...request, ...how }, hasFlags: false };
    const { report } = await runPlan(run, context);
    if (report.error || report.outcome === 'held back') return false;
    await removeAccess(host);
    return true;
  });
}
