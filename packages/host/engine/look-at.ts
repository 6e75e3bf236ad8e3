import { CataloguedError } from '@minifleet/errors';
import { HOST_CONNECTION_LOST, HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED, HOST_UNREACHABLE } from '../errors.ts';
import type { HostView } from '../host.ts';
import type { Finding, PlannedStep } from './step.ts';

/** What a look at one step gave: what was found, or why it could not be seen. */
export type Look = { readonly finding: Finding } | { readonly error: CataloguedError };

// What says nothing about a step, only that nobody can be asked.
const ABOUT_THE_HOST: ReadonlySet<string> = new Set(
  [HOST_UNREACHABLE, HOST_CONNECTION_LOST, HOST_KEY_REFUSED, HOST_IDENTITY_CHANGED].map(({ code }) => code),
);

/** Inspects steps all at once, so that what they ask travels together; whatever else is asked in this turn joins them. */
export const lookAt = (host: HostView, steps: readonly PlannedStep[]): Promise<Look[]> =>
  Promise.all(steps.map(step => lookAtOne(host, step)));

async function lookAtOne(host: HostView, step: PlannedStep): Promise<Look> {
  try {
    return { finding: await step.inspect(host) };
  } catch (error) {
    if (error instanceof CataloguedError && !ABOUT_THE_HOST.has(error.code)) return { error };
    throw error;
  }
}

/** Whether there is nothing left to do or to wait for, short of a reboot. */
export const atRest = (look: Look | undefined): boolean =>
  look !== undefined && 'finding' in look && look.finding.state !== 'drift';
