import { names } from '@minifleet/api';
import { type Clock, timestamp } from '@minifleet/clock';
import { type Client, isNotFound, keyOf, secrets } from '@minifleet/kube';
import type { Runner } from '../runners/runner.ts';

/** Writes down on a runner's record when it was first seen online, and with a job: its end is judged by that, whoever sees it. */
export async function noteSightings(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  runners: readonly Runner[],
): Promise<void> {
  const now = timestamp(clock.now());
  await Promise.all(
    runners.map(async runner => {
      const annotations = newsOf(runner, now);
      if (!runner.secret || !annotations) return;
      const { uid } = runner.secret.metadata;
      try {
        await client.patch(secrets, keyOf(runner.secret), { type: 'merge', body: { metadata: { uid, annotations } } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }),
  );
}

function newsOf({ state, registration }: Runner, now: string): Record<string, string> | undefined {
  if (state !== 'idle' && state !== 'busy') return undefined;
  const { onlineSince, jobSince } = names.annotations;
  const annotations = {
    ...(registration.onlineSince === undefined ? { [onlineSince]: now } : {}),
    ...(state === 'busy' && registration.jobSince === undefined ? { [jobSince]: now } : {}),
  };
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}
