import type { ProgressStep } from '@minifleet/local-cluster';

/** Runs work as a step of a progress reporter. */
export async function withProgress<T>(step: ProgressStep, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    step.done();
    return result;
  } catch (error) {
    step.failed(error instanceof Error ? error.message : String(error));
    throw error;
  }
}
