/** How long work tells a person what it is doing. The caller chooses where it goes; silence is the default. */

export type ProgressStep = {
  /** Says what the step is doing now. */
  update(detail: string): void;
  done(detail?: string): void;
  failed(detail: string): void;
};

export type Reporter = {
  /** Begins a step. Several may be under way at once. */
  step(title: string): ProgressStep;
  /** A line worth keeping that belongs to no step. */
  note(text: string): void;
};

const silentStep: ProgressStep = { update() {}, done() {}, failed() {} };

export const silentReporter: Reporter = { step: () => silentStep, note() {} };
