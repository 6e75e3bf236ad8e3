import type { Clock } from '@minifleet/clock';
import type { Finding, PlannedStep } from '../../engine/step.ts';
import type { Host } from '../../host.ts';

/** An incident of the operators, done our way: what must be seen instead of what they saw. */
export interface OurWay {
  /** `I01`, as in the list of incidents. */
  readonly id: string;
  readonly title: string;
  /** What must be seen, as the list of incidents has it. */
  readonly row: string;
  /** What was done, in one line. */
  readonly did: string;
  /** The Mac it happens on, where it is another than usual. */
  readonly mac?: { readonly passwordlessSudo?: boolean; readonly password?: string };
  /** What `run` tells must match it. */
  readonly seen: RegExp;
  /** Has it done the old way, then ours on the same Mac, and tells in one line what is seen then. */
  readonly run: (scene: OurScene) => Promise<string>;
}

/** Where an incident is lived through: one Mac, in the operators' hands and in ours. */
export interface OurScene {
  readonly host: Host;
  readonly clock: Clock;
  /** The Mac as the operators used theirs: shell text over SSH, files put there as root. */
  readonly mac: {
    run(script: string): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
    write(path: string, content: string): void;
    append(path: string, content: string): void;
    read(path: string): Buffer;
  };
  /** Lives the operators' scenario through on this very Mac, and tells what it said: its state is what we start from. */
  readonly oldWay: (id: string) => Promise<string>;
  /** A second Mac, to which nobody has done anything. */
  readonly another: () => Promise<OurScene>;
  /** Carries one step out as the engine does. */
  readonly converge: (step: PlannedStep) => Promise<Converged>;
  /** What has happened so far, oldest first: `pf flush`, `command` and the like. */
  readonly happened: () => readonly { readonly what: string; readonly detail: string }[];
  /** From now on launchd says yes to a kickstart and does nothing, as often as said. */
  readonly kickstartDoesNothing: (times?: number) => void;
  /** What becomes of a guest's packet. */
  readonly guest: {
    readonly reaches: (address: string, port: number, inOn?: string) => boolean;
    /** Whether it leaves with the host's address. */
    readonly isTranslated: (address: string) => boolean;
  };
}

interface Converged {
  readonly before: Finding;
  readonly after: Finding;
  readonly notes: readonly string[];
}
