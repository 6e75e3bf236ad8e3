import type { HostClaim } from '@minifleet/api';
import { deleting, findCondition } from '@minifleet/kube/client';
import type { Paint } from '../../terminal/paint.ts';
import { age } from '../age.ts';
import type { ResourceListing } from '../listing.ts';

/** HostClaims with the machine that holds each host. */
export const claims: ResourceListing = {
  sources: ['claims'],
  columns: [
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'SINCE', drop: 0 },
    { title: 'MACHINE', drop: 1 },
    { title: 'ZONE', wide: true },
    { title: 'EPOCH', wide: true },
    { title: 'VENDOR-NAME', wide: true },
    { title: 'FAILURES', wide: true },
    { title: 'WHY' },
  ],
  lines: ({ claims: all }, now) =>
    all.map(claim => {
      const { state, mood, since, why } = stateOf(claim);
      const { machineRef, zone, claimEpoch } = claim.spec;
      return {
        object: claim,
        mood,
        cells: {
          NAME: claim.metadata.name,
          STATE: state,
          SINCE: age(since ?? claim.metadata.creationTimestamp, now),
          MACHINE: machineRef ? `${machineRef.namespace}/${machineRef.name}` : '',
          ZONE: zone,
          EPOCH: String(claimEpoch),
          'VENDOR-NAME': claim.status?.vendorName ?? '',
          FAILURES: String((claim.status?.failures ?? []).reduce((sum, { count }) => sum + count, 0)),
          WHY: why,
        },
      };
    }),
};

interface ClaimDisplayState {
  readonly state: string;
  readonly mood: keyof Paint;
  readonly since: string | undefined;
  readonly why: string;
}

function stateOf(claim: HostClaim): ClaimDisplayState {
  const { quarantine, machineRef } = claim.spec;
  const record = claim.status?.quarantine;
  if (deleting(claim)) {
    const step = findCondition(claim, 'Deleting');
    return {
      state: 'Returning',
      mood: 'quiet',
      since: claim.metadata.deletionTimestamp,
      why: step?.message || (step?.reason ?? ''),
    };
  }
  if (quarantine || record) {
    const why = quarantine?.reason ?? record?.reasons.join(', ') ?? '';
    return { state: 'Quarantined', mood: 'doubtful', since: quarantine?.since ?? record?.since, why };
  }
  const ready = findCondition(claim, 'Ready');
  const degraded = ready?.status === 'False' && machineRef !== undefined;
  if (degraded)
    return { state: 'NotReady', mood: 'bad', since: ready.lastTransitionTime, why: ready.message || ready.reason };
  const held = findCondition(claim, 'Held')?.lastTransitionTime;
  return { state: machineRef ? 'Held' : 'Free', mood: machineRef ? 'good' : 'quiet', since: held, why: '' };
}
