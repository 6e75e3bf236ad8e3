import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { createEventRecorder, createMetrics, silentLog } from '@minifleet/kube';
import type { Theatre } from './stage.ts';

/** Says on the host that it is broken on purpose, where `minifleet watch` and whoever is puzzled will look. */
export async function recordStrike(
  { client, clock }: Theatre,
  samm: ScalewayAppleSiliconMachine,
  words: string,
): Promise<void> {
  const controller = 'minifleet.dev/break';
  const recorder = createEventRecorder({
    client,
    clock,
    log: silentLog,
    metrics: createMetrics(),
    controller,
    instance: 'up',
  });
  recorder.record({ regarding: samm, type: 'Warning', reason: 'Broken', action: 'Break', note: words });
  await recorder.flush();
}
