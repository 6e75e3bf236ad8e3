import { type EventuallyOptions, eventually } from './eventually.ts';

/** Waits until the assertions no longer throw; the last one that did is the error at the deadline. */
export const eventuallyHolds = async (
  assertions: () => void | Promise<void>,
  options?: EventuallyOptions,
): Promise<void> => {
  await eventually(async () => {
    await assertions();
    return true;
  }, options);
};
