import { externalControlPlane, type InfraMachine, macHost, machineKinds } from '@minifleet/api';
import { githubResolver } from '@minifleet/forges';
import { defined } from '@minifleet/kube';
import type { Vendor } from '@minifleet/vendors';
import { createBuilderForge } from '../builders/builder-forge.ts';
import { addClusterControllers } from '../cluster/cluster-controller.ts';
import { machineDeployments } from '../cluster-api/kinds.ts';
import { machineSelection } from '../cluster-api/machine-indexes.ts';
import { controlPlaneController } from '../control-plane/control-plane-controller.ts';
import { readOwnServer } from '../control-plane/own-server.ts';
import { createProbe } from '../control-plane/probe-kubeconfig.ts';
import { convertHostClaims } from '../convert/convert-host-claims.ts';
import { createCredentials } from '../credentials/credentials.ts';
import { discoveryController } from '../hosts/discovery-controller.ts';
import { fenceHost } from '../hosts/fence.ts';
import { addHostController } from '../hosts/host-controller.ts';
import { createHostJobs } from '../hosts/jobs/host-jobs.ts';
import { createServerLists } from '../hosts/server-lists.ts';
import { addJoin, fenceMachine } from '../join/add-join.ts';
import { addMachineControllers } from '../machines/machine-controller.ts';
import { addStuckPodsController } from '../stuck-pods/stuck-pods-controller.ts';
import type { ProviderDeps } from './run-provider.ts';
import { addressFrom } from './ssh-address-file.ts';

/** Adds every controller to the runtime. Without a vendor, the provider manages owned Macs only. */
export function addControllers(program: ProviderDeps, vendor: Vendor | undefined): void {
  const { client, clock, clusterId, flags, identity, log, metrics, random, runtime, settings } = program;
  const { events } = runtime;
  const shared = { client, clock, log, events, settings, clusterId };
  const hosts = runtime.informer(macHost.resource, {});
  const jobs = createHostJobs({
    clock,
    log,
    settings: settings.bootstrap,
    identity,
    fence: host => fenceHost(client, host, clusterId),
    ids: () => Buffer.from(random(8)).toString('hex'),
    ...defined({ openTransport: program.outside?.openTransport }),
    onEnd: job => metrics.jobEnded(job),
  });
  const join = addJoin(runtime, {
    client,
    clock,
    random,
    ca: program.ownServer.ca ?? '',
    server: serverForHosts(program),
    settings,
    fence: machine => fenceMachine(client, machine, clusterId),
    machines: machineSelection(settings),
  });
  const observer = { onCall: metrics.forgeCalled, redactor: program.redactor };
  const resolver = githubResolver({ clock, observer, ...defined({ apiUrl: flags.forgeApiUrl }) });
  const forge = createBuilderForge({ client, clock, resolver });
  addMachineControllers(runtime, { deps: { ...shared, join, forge, hosts: () => hosts.cache.list() } });

  const lists = createServerLists(vendor);
  let wake = (_host: string): void => undefined;
  addHostController(runtime, {
    deps: {
      ...shared,
      jobs,
      forge,
      credentials: createCredentials({ ...shared, random, vendor }),
      sshAddress: addressFrom(flags.sshAddressFile),
      onReclaim: () => metrics.orphanReclaimed(),
      async kubeconfig(machine, cluster) {
        if (!cluster) throw new Error('the machine of a host has no Cluster');
        return (await join.material(machine, cluster)).kubeconfig;
      },
    },
    lists,
    onStart(started) {
      wake = started;
    },
  });
  if (vendor)
    runtime.add(
      discoveryController({
        lists,
        settings,
        wake: host => wake(host),
        onReport: report => metrics.discovered(report),
      }),
    );
  runtime.before(() => convertHostClaims({ ...shared, hasVendor: vendor !== undefined }));
  addClusterControllers(runtime, settings);
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
  followForMetrics(program, jobs);
}

/** In a Pod the address of the API server is reachable only from within the cluster, and Macs are outside. */
const serverForHosts = ({ flags, ownServer }: ProviderDeps): string | undefined =>
  flags.kubeconfig === undefined ? undefined : ownServer.url;

function followForMetrics(
  { metrics, runtime, settings }: ProviderDeps,
  jobs: { running: number; queued: number },
): void {
  const { namespace } = settings;
  const selection = machineSelection(settings);
  const machines = machineKinds.map(({ resource }) => runtime.informer<InfraMachine>(resource, selection));
  const deployments = runtime.informer(machineDeployments, namespace === undefined ? {} : { namespace });
  const controlPlanes = runtime.informer(externalControlPlane.resource, selection);
  const hosts = runtime.informer(macHost.resource, {});
  metrics.follow({
    machines: () => machines.flatMap(({ cache }) => cache.list()),
    deployments: () => deployments.cache.list(),
    controlPlanes: () => controlPlanes.cache.list(),
    hosts: () => hosts.cache.list(),
    work: jobs,
  });
}
