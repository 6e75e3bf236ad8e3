/** Reports the progress of long work to a person (default: silent). The caller chooses the output. */

export type ProgressStep = {
  /** Sets the current detail of the step. */
  update(detail: string): void;
  done(detail?: string): void;
  failed(detail: string): void;
};

export type Reporter = {
  /** Starts a step. Several can be in progress at once. */
  step(title: string): ProgressStep;
  /** Prints a line that belongs to no step. */
  note(text: string): void;
};

const silentStep: ProgressStep = { update() {}, done() {}, failed() {} };

export const silentReporter: Reporter = { step: () => silentStep, note() {} };
