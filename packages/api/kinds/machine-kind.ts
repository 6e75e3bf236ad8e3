import type { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { ageColumn, type Column, conditionColumn, messageColumn } from '../schema/column.ts';
import { defineKind, type Kind } from '../schema/define-kind.ts';
import { machineConditions } from './machine-conditions.ts';

const columns: readonly Column[] = [
  {
    name: 'Cluster',
    type: 'string',
    jsonPath: '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name',
    description: 'Cluster of this machine',
  },
  {
    name: 'Machine',
    type: 'string',
    jsonPath: '.metadata.ownerReferences[?(@.kind=="Machine")].name',
    description: 'Machine that owns this object',
  },
  { name: 'Host', type: 'string', jsonPath: '.spec.claimRef.name', description: 'Name of the claimed MacHost' },
  {
    name: 'Step',
    type: 'string',
    jsonPath: '.status.currentStep',
    description: 'Step that is running or waiting on the host',
  },
  conditionColumn('Ready', 'True if the host is a Ready Node'),
  ageColumn,
  {
    name: 'ProviderID',
    type: 'string',
    jsonPath: '.spec.providerID',
    description: 'Common id of Machine and Node',
    priority: 10,
  },
  conditionColumn('Paused', 'True if reconciliation is paused', 10),
  // Last, because it is a sentence.
  messageColumn('Ready', 'First condition that is not True, with its message'),
];

interface MachineDefinition<Spec extends z.ZodType, Status extends z.ZodType> {
  readonly kind: string;
  readonly shortName: string;
  readonly description: string;
  /** With a prefault, because an object without spec is valid. */
  readonly spec: Spec;
  readonly status: Status;
}

/** Defines an infrastructure machine of Cluster API: its request for one Mac. All kinds have the same conditions and columns. */
export function machineKind<Spec extends z.ZodType, Status extends z.ZodType>({
  kind,
  shortName,
  ...definition
}: MachineDefinition<Spec, Status>): Kind<Spec, Status, typeof machineConditions> {
  const singular = kind.toLowerCase();
  return defineKind({
    ...definition,
    group: groups.infrastructure,
    version,
    kind,
    plural: `${singular}s`,
    singular,
    shortNames: [shortName],
    categories: [clusterApi.category],
    scope: 'Namespaced',
    labels: { [clusterApi.contractLabel]: version, [clusterApi.clusterctlLabel]: '' },
    conditions: machineConditions,
    columns,
    example: { metadata: { name: 'example', namespace: 'default' }, spec: {} as z.input<Spec> },
  });
}
