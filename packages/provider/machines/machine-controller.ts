import { hostClaim, names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
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
  type Selection,
} from '@minifleet/kube';
import { isNewsOfClaim } from '../claims/claim-controller.ts';
import { type Cluster, capiMachines, clusters, type Machine } from '../cluster-api/kinds.ts';
import type { ProviderSettings } from '../program/settings.ts';
import { addIndexes, type MachineIndex, machineIndexes, nodeIndexes } from './machine-indexes.ts';
import { type MachineLife, reconcileMachine } from './reconcile-machine.ts';
import { isNewsOfCluster, isNewsOfMachine, isNewsOfNode } from './what-wakes.ts';

const { resource } = scalewayAppleSiliconMachine;
const SERVING = { fieldSelector: 'spec.signerName=kubernetes.io/kubelet-serving' };
const NODE_USER = 'system:node:';

/** Puts the controller of machines into a program. What a phase waits for is watched here; jobs on hosts wake by themselves. */
export function addMachineController(runtime: Runtime, life: MachineLife): void {
  const selection = machineSelection(life.parts.settings);
  const inNamespace = defined({ namespace: selection.namespace });
  const machines = runtime.informer(resource, selection);
  addIndexes(machines, machineIndexes);
  addIndexes(runtime.informer(nodes, {}), nodeIndexes);
  const by = (index: MachineIndex, value: string | undefined): ObjectKey[] =>
    value === undefined ? [] : machines.cache.by(index, value).map(keyOf);

  runtime.add<ScalewayAppleSiliconMachine>({
    name: 'machine',
    resource,
    selection,
    watches: [
      mapped(capiMachines, infrastructureOf, inNamespace, changedBesidesStatus),
      mapped(
        clusters,
        ({ metadata }: Cluster) => by('machine-cluster', keyText(metadata)),
        inNamespace,
        isNewsOfCluster,
      ),
      // Whoever holds it, and whoever names it: one of them waits for the other.
      mapped(
        hostClaim.resource,
        ({ metadata, spec }) => [...by('machine-claim', metadata.name), ...by('machine-name', spec.machineRef?.name)],
        {},
        isNewsOfClaim,
      ),
      mapped(
        nodes,
        ({ metadata, spec }: Node) => [
          ...by('machine-name', metadata.name),
          ...by('machine-provider-id', spec?.providerID),
        ],
        {},
        isNewsOfNode,
      ),
      mapped(certificateSigningRequests, request => by('machine-name', nodeOf(request)), SERVING),
    ],
    wakeOn: isNewsOfMachine,
    wakes: wake => life.parts.work.onChange(wake),
    reconcile: (context, key) => reconcileMachine(context, key, life),
  });
}

/** Which machines are this provider's. */
export const machineSelection = ({
  namespace,
  watchFilter,
}: Pick<ProviderSettings, 'namespace' | 'watchFilter'>): Selection =>
  defined({
    namespace,
    labelSelector: watchFilter === undefined ? undefined : `${names.clusterApi.watchFilterLabel}=${watchFilter}`,
  });

function infrastructureOf({ metadata, spec }: Machine): ObjectKey[] {
  const { kind, apiGroup, name } = spec.infrastructureRef;
  if (kind !== resource.kind || apiGroup !== resource.group) return [];
  return [{ namespace: metadata.namespace ?? '', name }];
}

const keyText = ({ namespace, name }: Cluster['metadata']): string => `${namespace}/${name}`;

function nodeOf({ spec }: CertificateSigningRequest): string | undefined {
  const { username = '' } = spec;
  return username.startsWith(NODE_USER) ? username.slice(NODE_USER.length) : undefined;
}
