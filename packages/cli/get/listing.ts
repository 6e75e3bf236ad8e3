import type { HostClaim, RunnerPool } from '@minifleet/api';
import type { KubeObject, Node, Pod, Secret } from '@minifleet/kube/client';
import type { Samm } from '../cluster/machines.ts';
import type { MachineDeployment } from '../cluster/resources.ts';
import type { Paint } from '../terminal/paint.ts';

/** All that rows are made of. A kind names those it needs; the others are empty. */
export interface Sources {
  readonly machines: readonly Samm[];
  readonly nodes: readonly Node[];
  readonly claims: readonly HostClaim[];
  readonly pods: readonly Pod[];
  readonly pools: readonly RunnerPool[];
  readonly deployments: readonly MachineDeployment[];
  /** The Secrets of runners, their metadata alone: what is known of each stands there. */
  readonly registrations: readonly Secret[];
}

export type SourceName = keyof Sources;

/** One line: the object it stands for, and what is shown of it, by column. */
export interface Line {
  readonly object: KubeObject;
  readonly cells: Readonly<Record<string, string>>;
  /** How the column STATE is coloured. */
  readonly mood: keyof Paint;
}

export interface Column {
  readonly title: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
  /** What does not fit goes, the highest first. Absent: it stays. */
  readonly drop?: number;
}

/** How one kind is shown. */
export interface Listing {
  /** What `-n`, `-l` and a name choose from; the first of them. The others are looked up. */
  readonly sources: readonly [SourceName, ...SourceName[]];
  readonly columns: readonly Column[];
  lines(seen: Sources, now: number): readonly Line[];
}
