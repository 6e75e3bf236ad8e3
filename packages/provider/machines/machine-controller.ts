import {
  type InfraMachine,
  type MacHost,
  type MachineKind,
  macHost,
  machineConditions,
  machineKinds,
  names,
} from '@minifleet/api';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  changedBesidesStatus,
  defined,
  keyOf,
  mapped,
  type Node,
  nodes,
  type ObjectKey,
  type Runtime,
} from '@minifleet/kube';
import { type Cluster, capiMachines, clusters, type Machine } from '../cluster-api/kinds.ts';
import {
  addIndexes,
  hostIndexes,
  type MachineIndex,
  machineIndexes,
  machineSelection,
  nodeIndexes,
} from '../cluster-api/machine-indexes.ts';
import type { MachineDeps } from './machine-scope.ts';
import type { Phase } from './phase.ts';
import { provisionPhases, reconcileMachine } from './reconcile-machine.ts';

const SERVING = { fieldSelector: 'spec.signerName=kubernetes.io/kubelet-serving' };
const NODE_USER = 'system:node:';
/** A host that becomes available wakes this many waiting machines; each of them claims one host. */
const MAX_WOKEN = 16;

export interface MachineControllerOptions {
  readonly deps: Omit<MachineDeps, 'reserved'>;
  readonly phases?: readonly Phase[];
}

/** Adds a controller for each kind of machine. */
export function addMachineControllers(runtime: Runtime, options: MachineControllerOptions): void {
  addIndexes(runtime.informer(nodes, {}), nodeIndexes);
  addIndexes(runtime.informer(macHost.resource, {}), hostIndexes);
  const { deps, phases = provisionPhases } = options;
  const reserved = new Map<string, string>();
  for (const kind of machineKinds) addMachineController(runtime, kind, { deps: { ...deps, reserved }, phases });
}

function addMachineController(
  runtime: Runtime,
  kind: MachineKind,
  { deps, phases }: { readonly deps: MachineDeps; readonly phases: readonly Phase[] },
): void {
  const { resource } = kind;
  const selection = machineSelection(deps.settings);
  const inNamespace = defined({ namespace: selection.namespace });
  const machines = runtime.informer<InfraMachine>(resource, selection);
  addIndexes(machines, machineIndexes);
  const by = (index: MachineIndex, value: string | undefined): ObjectKey[] =>
    value === undefined ? [] : machines.cache.by(index, value).map(keyOf);
  const affectedBy = (host: MacHost): ObjectKey[] => [
    // The machine that holds the host, and machines that name it: one may wait for the other.
    ...by('machine-host', host.metadata.name),
    ...by('machine-name', host.spec.consumerRef?.name),
    ...(isAvailable(host) ? by('machine-without-host', '').slice(0, MAX_WOKEN) : []),
  ];

  runtime.add<InfraMachine>({
    name: resource.kind === 'MacMachine' ? 'mac-machine' : 'machine',
    resource,
    selection,
    watches: [
      mapped(capiMachines, machine => infrastructureOf(machine, resource), inNamespace, changedBesidesStatus),
      mapped(
        clusters,
        ({ metadata }: Cluster) => by('machine-cluster', `${metadata.namespace}/${metadata.name}`),
        inNamespace,
        isRelevantClusterChange,
      ),
      mapped(macHost.resource, affectedBy, {}, isRelevantHostChange),
      mapped(
        nodes,
        ({ metadata, spec }: Node) => [
          ...by('machine-name', metadata.name),
          ...by('machine-provider-id', spec?.providerID),
        ],
        {},
        isRelevantNodeChange,
      ),
      mapped(certificateSigningRequests, request => by('machine-name', nodeOf(request)), SERVING),
    ],
    wakeOn: isRelevantMachineChange,
    reconcile: (context, key) => reconcileMachine(context, key, { kind, deps, phases }),
  });
}

function infrastructureOf({ metadata, spec }: Machine, resource: MachineKind['resource']): ObjectKey[] {
  const { kind, apiGroup, name } = spec.infrastructureRef;
  if (kind !== resource.kind || apiGroup !== resource.group) return [];
  return [{ namespace: metadata.namespace ?? '', name }];
}

function nodeOf({ spec }: CertificateSigningRequest): string | undefined {
  const { username = '' } = spec;
  return username.startsWith(NODE_USER) ? username.slice(NODE_USER.length) : undefined;
}

const isAvailable = ({ spec, status }: MacHost): boolean => !spec.consumerRef && status?.state === 'Available';

/** Only this controller sets the annotation against a move. */
export const isRelevantMachineChange = (previous: InfraMachine, machine: InfraMachine): boolean =>
  changedBesidesStatus(withoutMoveMark(previous), withoutMoveMark(machine));

function withoutMoveMark(machine: InfraMachine): InfraMachine {
  const { [names.clusterApi.blockMoveAnnotation]: _, ...annotations } = machine.metadata.annotations ?? {};
  return { ...machine, metadata: { ...machine.metadata, annotations } };
}

/** Cluster API counts machines in the status of a Cluster; without this filter each new machine would wake all others. */
export const isRelevantClusterChange = (previous: Cluster, cluster: Cluster): boolean =>
  changedBesidesStatus(previous, cluster) || isProvisioned(previous) !== isProvisioned(cluster);

const isProvisioned = ({ status }: Cluster): boolean | undefined => status?.initialization?.infrastructureProvisioned;

/** The journal of a host changes every few seconds during a job; machines show only a part of it. */
export const isRelevantHostChange = (previous: MacHost, host: MacHost): boolean =>
  changedBesidesStatus(previous, host) || shownOf(previous) !== shownOf(host);

function shownOf({ status = {} }: MacHost): string {
  const { state, currentStep, addresses, hardware, lastRelease, servedSince, vendorState, conditions = [] } = status;
  const shown = conditions
    .filter(({ type }) => type === 'Ready' || type === 'NameMirrored' || Object.hasOwn(machineConditions, type))
    .map(({ type, status: value, reason, message }) => [type, value, reason, message]);
  return JSON.stringify([state, currentStep, addresses, hardware?.macOS, lastRelease, servedSince, vendorState, shown]);
}

/** A Node also reports every few minutes that nothing changed. */
export const isRelevantNodeChange = (previous: Node, node: Node): boolean =>
  changedBesidesStatus(previous, node) || reportedBy(previous) !== reportedBy(node);

const READ: readonly string[] = ['Ready', 'CertificatesReady'];

const reportedBy = ({ status }: Node): string =>
  JSON.stringify(
    (status?.conditions ?? [])
      .filter(({ type }) => READ.includes(type))
      .map(({ type, status: value, reason, message }) => [type, value, reason, message]),
  );
