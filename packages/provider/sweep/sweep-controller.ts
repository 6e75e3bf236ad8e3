import { scalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { againIn, defineController, mapped, namespaces } from '@minifleet/kube';
import { hostClaims } from '../claims/write-claim.ts';
import { clusters } from '../cluster-api/kinds.ts';
import { type SweepParts, sweepOnce } from './sweep-once.ts';
import type { SweepReport } from './sweep-report.ts';

const machines = scalewayAppleSiliconMachine.resource;
const nobody = (): readonly never[] => [];

export interface SweepOptions extends Pick<SweepParts, 'vendors' | 'settings' | 'clusterId'> {
  readonly onReport: (report: SweepReport) => void;
}

/**
 * Looks for hosts whose machine is gone, at the start and then from time to time. A controller of one object, the namespace that stands
 * for the cluster, because so it runs in the leader alone, with synced caches.
 */
export function sweepController(options: SweepOptions) {
  const { namespace, sweep } = options.settings;
  const selection = namespace === undefined ? undefined : { namespace };
  return defineController({
    name: 'sweep',
    resource: namespaces,
    selection: { fieldSelector: 'metadata.name=kube-system' },
    // Read, not woken by: a machine that is gone a moment ago is most often one that moves.
    watches: [mapped(hostClaims, nobody), mapped(machines, nobody, selection), mapped(clusters, nobody, selection)],
    wakeOn: () => false,
    timeout: minutes(10),
    async reconcile({ cache, client, clock, events, log }) {
      const known = {
        claims: cache(hostClaims).list(),
        machines: cache(machines).list(),
        clusters: cache(clusters).list(),
      };
      options.onReport(await sweepOnce({ ...options, client, clock, events, log }, known));
      return againIn(sweep.every, 'the next sweep');
    },
  });
}
