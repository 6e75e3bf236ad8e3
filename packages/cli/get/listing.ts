import type { HostClaim, RunnerPool } from '@minifleet/api';
import type { KubeObject, Node, Pod, Secret } from '@minifleet/kube/client';
import type { ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
import type { FleetMachineDeployment } from '../cluster/resources.ts';
import type { Paint } from '../terminal/paint.ts';

/** All that rows are made of. A kind names those it needs; the others are empty. */
export interface ListedObjects {
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  readonly nodes: readonly Node[];
  readonly claims: readonly HostClaim[];
  readonly pods: readonly Pod[];
  readonly pools: readonly RunnerPool[];
  readonly deployments: readonly FleetMachineDeployment[];
  /** The Secrets of runners, their metadata alone: what is known of each stands there. */
  readonly registrations: readonly Secret[];
}

export type ListedKind = keyof ListedObjects;

/** One line: the object it stands for, and what is shown of it, by column. */
export interface ListingRow {
  readonly object: KubeObject;
  readonly cells: Readonly<Record<string, string>>;
  /** How the column STATE is coloured. */
  readonly mood: keyof Paint;
}

export interface ListingColumn {
  readonly title: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
  /** What does not fit goes, the highest first. Absent: it stays. */
  readonly drop?: number;
}

/** How one kind is shown. */
export interface ResourceListing {
  /** What `-n`, `-l` and a name choose from; the first of them. The others are looked up. */
  readonly sources: readonly [ListedKind, ...ListedKind[]];
  readonly columns: readonly ListingColumn[];
  lines(seen: ListedObjects, now: number): readonly ListingRow[];
}
