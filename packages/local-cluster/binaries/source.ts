/** One place a program may come from. It answers with a path, or with the reason it was passed over. */
import type { ProgressStep } from '../progress/reporter.ts';
import type { Program } from './program.ts';

export type SourceAnswer = { readonly path: string } | { readonly passedOver: string };

export type BinarySource = {
  /** Says in a sentence where a program came from: "kubectl: built by go". */
  readonly origin: string;
  find(program: Program, step: ProgressStep): Promise<SourceAnswer>;
};
