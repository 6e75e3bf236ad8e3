import type { Reporter } from '@minifleet/local-cluster';

/** Returns a silent reporter that records the duration of each step in milliseconds. */
export function timeSteps(): { readonly reporter: Reporter; readonly steps: ReadonlyMap<string, number> } {
  const steps = new Map<string, number>();
  const reporter: Reporter = {
    step(title) {
      const startedAt = performance.now();
      return { update() {}, done: () => void steps.set(title, performance.now() - startedAt), failed() {} };
    },
    note() {},
  };
  return { reporter, steps };
}
