import { randomBytes } from 'node:crypto';
import { type MacHost, macHost } from '@minifleet/api';
import { inspectPlan } from '@minifleet/host';
import type { Client } from '@minifleet/kube/client';
import { macHosts } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { type Diagnosis, showDiagnoses, unknown } from '../diagnosis/diagnosis.ts';
import { type ExitCode, exitCode, UsageError } from '../exit.ts';
import type { HostConnection } from '../host/connect-host.ts';
import { runPlan } from '../host/converge/converge-host.ts';
import { userOf } from '../host/host-request.ts';
import { basePlan } from '../host/read-plan.ts';
import { withHost } from '../host/with-host.ts';
import { AGENT_PORT } from '../prepare/agent-route.ts';
import { checkMac, type PreparationFacts, readMacFacts } from '../prepare/check-mac.ts';
import { apiEndpoints, type FleetApiServer, findFleet, type MacFleet } from '../prepare/find-fleet.ts';
import { fleetPublicKey } from '../prepare/fleet-public-key.ts';
import { askPassword, requireLogin } from '../prepare/login.ts';
import { PREPARATION, requireSuitable } from '../prepare/prepare-fleet-host.ts';
import { probeAgentRoute } from '../prepare/probe-agent-route.ts';
import { type DeclaredMac, identityOf, readDeclaredMacs } from '../prepare/same-mac.ts';
import { untilAborted } from '../stop.ts';
import { checkDeclared, hostNameFrom, type OwnedMacManifest } from './check-declared.ts';
import { confirmed } from './confirm.ts';
import type { AddHostRequest } from './owned-commands.ts';

/**
 * Brings an owned Mac into a fleet. All checks come first and change nothing. The Mac is prepared before its MacHost exists, so that no
 * machine claims a Mac that the provider cannot log in to. Each part can be repeated.
 */
export async function addHost(request: AddHostRequest, context: CliContext): Promise<ExitCode> {
  if (request.fleet === undefined && request.pool === undefined)
    throw new UsageError('no fleet given; pass --fleet <name> or --pool <name>');
  const cluster = await withCluster(request, context, client => readCluster(client, request, context));
  return withHost(request, context, async connection => {
    await requireLogin(request, connection, context);
    const { facts, route } = await readMac(request, { cluster, connection, context });
    const { hostKey } = connection.transport;
    const manifest = manifestOf(request, { ...cluster, facts, hostKey });
    const mac = await identityOf(request.address, hostKey, context);
    const declared = checkDeclared(manifest.metadata.name, mac, cluster.declared);
    const checks = [...checkMac(facts), ...routeNotes(cluster), ...route, declared];
    requireSuitable(checks, connection.host.address, context);
    showDiagnoses(checks, false, context);
    context.output.write(`\n${changesOf(manifest, cluster.fleet)}`);
    if (request.dryRun) return printManifest(manifest, context);
    await confirmed(request, context);
    if (!(await prepare(request, connection, { fleet: cluster.fleet, context }))) return exitCode.failed;
    // Not forced: the API server refuses fields that another manager owns, for example a GitOps tool.
    await withCluster(request, context, client =>
      client.apply(macHost.resource, manifest as MacHost, { fieldManager: 'minifleet' }),
    );
    context.output.write(nextSteps(manifest.metadata.name, cluster.fleet, route));
    return exitCode.done;
  });
}

interface ClusterFacts {
  readonly fleet: MacFleet;
  readonly endpoints: readonly FleetApiServer[];
  readonly declared: readonly DeclaredMac[];
}

async function readCluster(client: Client, request: AddHostRequest, context: CliContext): Promise<ClusterFacts> {
  const fleet = await findFleet(client, request);
  const [endpoints, { items: hosts }] = await Promise.all([
    apiEndpoints(client, fleet.namespace),
    client.list(macHosts),
  ]);
  const { namespace } = fleet;
  const declared = await untilAborted(context, readDeclaredMacs(hosts, { ...context, client, namespace }));
  return { fleet, endpoints, declared };
}

interface ReadMacDeps {
  readonly cluster: ClusterFacts;
  readonly connection: HostConnection;
  readonly context: CliContext;
}

/** Reads the facts of the Mac, and checks the connections between Mac and API server in both directions. */
async function readMac(request: AddHostRequest, { cluster, connection, context }: ReadMacDeps) {
  const target = { host: request.address.host, namespace: cluster.fleet.namespace };
  const facts = untilAborted(context, readMacFacts(connection.host, userOf(request), cluster.endpoints));
  const route = withCluster(request, context, client =>
    probeAgentRoute(target, { ...context, client, random: randomBytes }),
  );
  // An interrupted check still deletes its Pod, and needs the connection for it.
  await Promise.allSettled([facts, route]);
  return { facts: await facts, route: await route };
}

const routeNotes = ({ endpoints, fleet }: ClusterFacts): Diagnosis[] =>
  endpoints.length > 0
    ? []
    : [unknown('API server', `not checked: no Cluster in namespace ${fleet.namespace} has a controlPlaneEndpoint`)];

interface ManifestInput {
  readonly fleet: MacFleet;
  readonly facts: PreparationFacts;
  readonly hostKey: string | undefined;
}

function manifestOf(request: AddHostRequest, { fleet, facts, hostKey }: ManifestInput): OwnedMacManifest {
  const { group, version, kind } = macHost.resource;
  const { address, type, os } = request;
  const owned = {
    ...{ address: address.host, port: address.port, user: userOf(request) },
    ...(hostKey === undefined ? {} : { hostKey }),
    ...(type === undefined ? {} : { type }),
    ...(os === undefined ? {} : { os }),
  };
  const name = request.name ?? hostNameFrom(facts.name || address.host);
  const manifest = {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name },
    spec: { source: { owned }, pool: fleet.pool },
  };
  const { problems } = macHost.validate(manifest);
  if (problems.length > 0) throw new UsageError(problems.map(({ message }) => message).join('; '));
  return manifest;
}

function changesOf({ metadata: { name }, spec }: OwnedMacManifest, { namespace, fleet, pool }: MacFleet): string {
  const { user, hostKey } = spec.source.owned;
  return `This changes on the Mac:
  ~/.ssh/authorized_keys of ${user}: the SSH key of fleet ${namespace}/${fleet}, which the provider logs in with
  sudo for ${user} without a password, auto-login of ${user}, no sleep and no screen lock
This changes in the cluster:
  Secret with the SSH key of fleet ${namespace}/${fleet}, if it does not exist yet
  MacHost ${name} in pool ${pool}, with host key ${hostKey ?? 'of the first connection'}
A machine of the pool then claims the Mac and installs the node agent. minifleet host remove ${name} takes everything back.
`;
}

async function printManifest(manifest: OwnedMacManifest, { output }: CliContext): Promise<ExitCode> {
  const { stringify } = await import('yaml');
  output.write(`\n${stringify(manifest)}`);
  return exitCode.done;
}

interface Preparation {
  readonly fleet: MacFleet;
  readonly context: CliContext;
}

/** Asks for the password only if a step needs it. True if the Mac is ready. */
async function prepare(
  request: AddHostRequest,
  connection: HostConnection,
  { fleet, context }: Preparation,
): Promise<boolean> {
  const authorizedKey = await withCluster(request, context, client => fleetPublicKey(client, fleet));
  const user = userOf(request);
  const present = await untilAborted(context, inspectPlan(connection.host, basePlan(user, { authorizedKey })));
  if (present.every(({ state }) => state === 'current')) return true;
  const password = await askPassword(request, context);
  const plan = basePlan(user, { password, authorizedKey });
  const { report } = await runPlan({ connection, plan, request: { ...request, ...PREPARATION } }, context);
  return report.outcome === 'converged';
}

const UNREACHABLE = 'If the provider cannot, the MacHost reports HostUnreachable.';
const CHECKED = `The API server reaches the Mac on port ${AGENT_PORT} for logs and exec. The provider must reach its SSH port. ${UNREACHABLE}`;
const NOT_CHECKED = `The API server must reach the Mac on port ${AGENT_PORT} for logs and exec (not checked), and the provider its SSH port. ${UNREACHABLE}`;

const nextSteps = (name: string, { namespace, fleet, pool }: MacFleet, route: readonly Diagnosis[]): string => `
machosts.minifleet.dev/${name} applied; a machine of fleet ${namespace}/${fleet} can claim it.
${route.every(({ state }) => state === 'ok') ? CHECKED : NOT_CHECKED}
To follow it:            minifleet get host ${name} --watch
If no machine claims it: kubectl get macm -n ${namespace} (each needs one Mac of pool ${pool}; scale the MachineDeployment)
`;
