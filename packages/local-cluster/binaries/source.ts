import type { ProgressStep, Reporter } from '../progress/reporter.ts';
import type { Program } from './program.ts';

/** Path of a program, or the reason why a source does not provide it. */
type SourceResult =
  | { readonly path: string }
  | {
      readonly passedOver: string;
      /** True where the reason is the usual case: it appears in errors, but not as progress. */
      readonly expected?: boolean;
    };

type SourceProgress = {
  /** Progress line of the program. */
  readonly step: ProgressStep;
  readonly reporter: Reporter;
};

/** A source of programs. */
export type BinarySource = {
  /** Completes "kubectl: …" in progress and messages. */
  readonly origin: string;
  find(program: Program, progress: SourceProgress): Promise<SourceResult>;
  /** Estimates how long `find` takes on two cores. Undefined where the source will not provide the program. */
  expectedSeconds?(program: Program): number | undefined;
};
