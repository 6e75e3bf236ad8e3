import { randomBytes } from 'node:crypto';
import { defineError } from '@minifleet/errors';
import type { ConvergeReport } from '@minifleet/host';
import type { Client } from '@minifleet/kube/client';
import type { ClusterRequest } from '../cluster/cluster-options.ts';
import { listAll } from '../cluster/list-all.ts';
import { macHosts } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { type Diagnosis, showDiagnoses, unknown } from '../diagnosis/diagnosis.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import type { HostConnection } from '../host/connect-host.ts';
import { type ConvergeRequest, runPlan } from '../host/converge/converge-host.ts';
import { type HostRequest, userOf } from '../host/host-request.ts';
import { basePlan } from '../host/read-plan.ts';
import { withHost } from '../host/with-host.ts';
import { untilAborted } from '../stop.ts';
import { checkMac, readMacFacts } from './check-mac.ts';
import { apiEndpoints, type FleetApiServer, findFleet, type MacFleet } from './find-fleet.ts';
import { fleetPublicKey } from './fleet-public-key.ts';
import { askPassword, requireLogin } from './login.ts';
import { probeAgentRoute } from './probe-agent-route.ts';
import { checkUnique, identityOf, readDeclaredMacs } from './same-mac.ts';

export interface PrepareRequest extends HostRequest, ClusterRequest {
  /** Fleet whose SSH key the host will accept. */
  readonly fleet?: string;
  readonly namespace?: string;
}

/**
 * Sets up sudo, auto-login and no sleep with the provider's own steps, for hosts whose password only the operator knows, and the SSH key of
 * a fleet, which no vendor installs on an owned Mac. Checks the Mac before it changes anything.
 */
export async function prepareFleetHost(request: PrepareRequest, context: CliContext): Promise<ExitCode> {
  const { output } = context;
  const fleet = request.fleet === undefined ? undefined : await readFleet(request, context);
  return withHost(request, context, async connection => {
    await requireLogin(request, connection, context);
    const user = userOf(request);
    const checks = await checkAll(request, { fleet, connection, context });
    requireSuitable(checks, connection.host.address, context);
    const unchecked = checks.filter(({ state }) => state === 'unknown');
    if (unchecked.length > 0) showDiagnoses(unchecked, false, context);
    const password = await askPassword(request, context);
    const plan = basePlan(user, { password, ...(fleet && { authorizedKey: await fleet.key() }) });
    const { report } = await runPlan({ connection, plan, request: { ...request, ...PREPARATION } }, context);
    output.write(nextLine(report, connection.host.address));
    return report.outcome === 'converged' ? exitCode.done : exitCode.failed;
  });
}

export const MAC_UNSUITABLE = defineError('MAC_UNSUITABLE', {
  retry: 'operator',
  reason: 'MacUnsuitable',
  text: '{address}: {failed} failed; nothing was changed; fix what is listed above and run the command again',
});

/** Prints the failed checks and throws if there are any. */
export function requireSuitable(checks: readonly Diagnosis[], address: string, context: CliContext): void {
  const failed = checks.filter(({ state }) => state === 'problem');
  if (failed.length === 0) return;
  showDiagnoses(failed, false, context);
  throw MAC_UNSUITABLE({ address, failed: failed.map(({ check }) => check).join(', ') });
}

interface CheckDeps {
  readonly fleet: FleetAccess | undefined;
  readonly connection: HostConnection;
  readonly context: CliContext;
}

async function checkAll(request: PrepareRequest, { fleet, connection, context }: CheckDeps): Promise<Diagnosis[]> {
  const facts = untilAborted(context, readMacFacts(connection.host, userOf(request), fleet?.endpoints ?? []));
  const shared = fleet ? fleet.check(connection) : Promise.resolve([]);
  // An interrupted check still deletes its Pod, and needs the connection for it.
  await Promise.allSettled([facts, shared]);
  return [...checkMac(await facts), ...(await shared)];
}

interface FleetAccess {
  readonly endpoints: readonly FleetApiServer[];
  /** Checks the Mac against the cluster. */
  check(connection: HostConnection): Promise<Diagnosis[]>;
  /** Creates the key if there is none. */
  key(): Promise<string>;
}

function readFleet(request: PrepareRequest, context: CliContext): Promise<FleetAccess> {
  return withCluster(request, context, async client => {
    const fleet = await findFleet(client, request);
    return {
      endpoints: await apiEndpoints(client, fleet.namespace),
      check: ({ transport }) =>
        withCluster(request, context, again =>
          checkInCluster(again, { request, fleet, hostKey: transport.hostKey, context }),
        ),
      key: () => withCluster(request, context, again => fleetPublicKey(again, fleet)),
    };
  });
}

interface ClusterCheckInput {
  readonly request: PrepareRequest;
  readonly fleet: MacFleet;
  readonly hostKey: string | undefined;
  readonly context: CliContext;
}

async function checkInCluster(
  client: Client,
  { request: { address }, fleet: { namespace }, hostKey, context }: ClusterCheckInput,
): Promise<Diagnosis[]> {
  const deps = { ...context, client, namespace };
  const route = await probeAgentRoute({ host: address.host, namespace }, { ...deps, random: randomBytes });
  const { items, unreadable } = await listAll(client, macHosts);
  if (unreadable !== undefined) return [...route, unknown('MacHost', `not checked: ${unreadable}`)];
  const mac = await identityOf(address, hostKey, context);
  return [...route, checkUnique(mac, await readDeclaredMacs(items, deps))];
}

/** Options of a run that prepares a host. */
export const PREPARATION: Pick<ConvergeRequest, 'allow' | 'reboot'> = { allow: 'new VMs', reboot: false };

/** Renders the result and the next action. */
function nextLine({ outcome, steps }: ConvergeReport, address: string): string {
  if (outcome === 'converged') {
    return `${address} is ready and needs no reboot. The provider does the rest. To see the remaining differences:\n  minifleet host plan ${address} -f <spec file>\n`;
  }
  const done = steps.filter(({ changed }) => changed).map(({ id }) => id);
  const left = done.length === 0 ? 'nothing was changed' : `these steps were applied: ${done.join(', ')}`;
  return `${address} is not ready; ${left}\n`;
}
