import { externalControlPlane, hostClaim, scalewayAppleSiliconMachine } from '@minifleet/api';
import { githubResolver } from '@minifleet/forges';
import { defined } from '@minifleet/kube';
import { createBuilderRunners } from '../builders/create-builder-runners.ts';
import { claimController } from '../claims/claim-controller.ts';
import { createClaims } from '../claims/create-claims.ts';
import type { Vendors } from '../claims/vendors.ts';
import { addClusterController } from '../cluster/cluster-controller.ts';
import { machineDeployments } from '../cluster-api/kinds.ts';
import { controlPlaneController } from '../control-plane/control-plane-controller.ts';
import { readOwnServer } from '../control-plane/own-server.ts';
import { createProbe } from '../control-plane/probe-kubeconfig.ts';
import { createCredentials } from '../credentials/create-credentials.ts';
import { createHostWork } from '../host-work/create-host-work.ts';
import { addJoin } from '../join/add-join.ts';
import { addMachineController, machineSelection } from '../machines/machine-controller.ts';
import type { MachineParts } from '../machines/parts.ts';
import { provisionPhases } from '../machines/provision-phases.ts';
import { releasePhases } from '../machines/release-phases.ts';
import { addStuckPodsController } from '../stuck-pods/stuck-pods-controller.ts';
import { sweepController } from '../sweep/sweep-controller.ts';
import { reachBy } from './reach-file.ts';
import type { ProviderDeps } from './run-provider.ts';

/** Adds every controller to the runtime. The machine controller is first because others use its indexes. */
export function addControllers(program: ProviderDeps, vendors: Vendors): void {
  const { clock, clusterId, metrics, runtime, settings } = program;
  const parts = machineParts(program, vendors);
  addMachineController(runtime, { parts, phases: provisionPhases, release: releasePhases });
  runtime.add(claimController({ settings, clusterId }));
  runtime.add(sweepController({ vendors, settings, clusterId, onReport: report => metrics.swept(report) }));
  addClusterController(runtime, settings);
  runtime.add(
    controlPlaneController({
      settings,
      ownServer: () => readOwnServer(program.sources),
      server: serverForHosts(program),
      probe: program.outside?.probe ?? createProbe(clock),
    }),
  );
  addStuckPodsController(runtime, {
    clock,
    stuckAfter: settings.stuckAfter,
    onReport: report => metrics.podsStuck(report),
  });
  followForMetrics(program, parts);
}

function machineParts(program: ProviderDeps, vendors: Vendors): MachineParts {
  const { client, clock, clusterId, flags, identity, log, random, runtime, settings } = program;
  const { events } = runtime;
  const shared = { client, clock, log, events, vendors, settings };
  const claims = createClaims({ ...shared, clusterId, cache: runtime.informer(hostClaim.resource, {}).cache });
  const work = createHostWork({
    clock,
    log,
    settings: settings.bootstrap,
    identity,
    fence: machine => claims.fence(machine),
    ids: () => Buffer.from(random(8)).toString('hex'),
    reach: reachBy(flags.sshAddressFile),
    ...defined({ openTransport: program.outside?.openTransport }),
    onEnd: job => program.metrics.jobEnded(job),
  });
  const join = addJoin(runtime, {
    client,
    clock,
    random,
    ca: program.ownServer.ca ?? '',
    server: serverForHosts(program),
    settings,
    fence: machine => claims.fence(machine),
    machines: machineSelection(settings),
  });
  const observer = { onCall: program.metrics.forgeCalled, redactor: program.redactor };
  const resolver = githubResolver({ clock, observer, ...defined({ apiUrl: flags.forgeApiUrl }) });
  const runners = createBuilderRunners({ client, clock, resolver });
  const machines = runtime.informer(scalewayAppleSiliconMachine.resource, machineSelection(settings)).cache;
  return {
    ...shared,
    machines,
    claims,
    work,
    join,
    runners,
    credentials: createCredentials({ ...shared, clusterId, random }),
  };
}

/** In a Pod the address of the API server is reachable only from within the cluster, and Macs are outside. */
const serverForHosts = ({ flags, ownServer }: ProviderDeps): string | undefined =>
  flags.kubeconfig === undefined ? undefined : ownServer.url;

function followForMetrics({ metrics, runtime, settings }: ProviderDeps, { work }: MachineParts): void {
  const { namespace } = settings;
  const machines = runtime.informer(scalewayAppleSiliconMachine.resource, machineSelection(settings));
  const deployments = runtime.informer(machineDeployments, namespace === undefined ? {} : { namespace });
  const controlPlanes = runtime.informer(externalControlPlane.resource, machineSelection(settings));
  metrics.follow({
    machines: () => machines.cache.list(),
    deployments: () => deployments.cache.list(),
    controlPlanes: () => controlPlanes.cache.list(),
    work,
  });
}
