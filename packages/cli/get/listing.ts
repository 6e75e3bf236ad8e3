import type { InfraMachine, MacHost, RunnerPool } from '@minifleet/api';
import type { KubeObject, KubeSecret, Node, Pod } from '@minifleet/kube/client';
import type { FleetMachineDeployment } from '../cluster/resources.ts';
import type { Paint } from '../terminal/paint.ts';

/** Objects that rows are built from. A listing names the lists it needs; the others are empty. */
export interface ListedObjects {
  /** Machines of both kinds. */
  readonly machines: readonly InfraMachine[];
  readonly nodes: readonly Node[];
  readonly hosts: readonly MacHost[];
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
  /** Object that `-n` and `-l` select the row by (default: `object`). */
  readonly selectedBy?: KubeObject | undefined;
  /** Names of the row besides that of its object. */
  readonly names?: readonly (string | undefined)[];
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
  /** Related lists without which the rows would be wrong (default: none). The others are empty if the user may not read them. */
  readonly required?: readonly ListedKind[];
  readonly columns: readonly ListingColumn[];
  lines(objects: ListedObjects, now: number): readonly ListingRow[];
}
