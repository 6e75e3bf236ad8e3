import type { HostClaim, RunnerPool } from '@minifleet/api';
import type { KubeObject, KubeSecret, Node, Pod } from '@minifleet/kube/client';
import type { ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
import type { FleetMachineDeployment } from '../cluster/resources.ts';
import type { Paint } from '../terminal/paint.ts';

/** Objects that rows are built from. A listing names the lists it needs; the others are empty. */
export interface ListedObjects {
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  readonly nodes: readonly Node[];
  readonly claims: readonly HostClaim[];
  readonly pods: readonly Pod[];
  readonly pools: readonly RunnerPool[];
  readonly deployments: readonly FleetMachineDeployment[];
  /** Metadata of the runner Secrets. Their annotations record the state of each runner. */
  readonly registrations: readonly KubeSecret[];
}

export type ListedKind = keyof ListedObjects;

/** One row: the object and its cells by column. */
export interface ListingRow {
  readonly object: KubeObject;
  readonly cells: Readonly<Record<string, string>>;
  /** Colour of the STATE column. */
  readonly mood: keyof Paint;
}

export interface ListingColumn {
  readonly title: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
  /** Order in which columns are dropped if the table does not fit, highest first. Absent: never dropped. */
  readonly drop?: number;
}

/** Table definition of one kind. */
export interface ResourceListing {
  /** Lists to read. `-n`, `-l` and a name select from the first; the others are related objects. */
  readonly sources: readonly [ListedKind, ...ListedKind[]];
  readonly columns: readonly ListingColumn[];
  lines(objects: ListedObjects, now: number): readonly ListingRow[];
}
