import { isIP } from 'node:net';
import { timestamp } from '@minifleet/clock';
import { defined } from '@minifleet/kube';
import { isTerminal } from '../decide/desired.ts';
import { containerStatuses } from './container-status.ts';
import type { Picture, PodStatus } from './picture.ts';
import { podConditions } from './pod-conditions.ts';
import { isOver, podPhase } from './pod-phase.ts';

/** The fields of a Pod's status this agent speaks for; what is absent from it is taken off the server's. */
export type OwnedStatus = Pick<
  PodStatus,
  | 'phase'
  | 'reason'
  | 'message'
  | 'hostIP'
  | 'hostIPs'
  | 'podIP'
  | 'podIPs'
  | 'startTime'
  | 'containerStatuses'
  | 'conditions'
  | 'observedGeneration'
>;

/** A Pod's status as a pure function of what is known of it. */
export function podStatus(picture: Picture): OwnedStatus {
  const { pod, now } = picture;
  const phase = podPhase(picture);
  // What a Pod ended as is settled: its guest's record may be gone, and its end must not be told in another way.
  const kept = isTerminal(pod) ? pod.status?.containerStatuses : undefined;
  const containers = kept ?? containerStatuses(picture);
  return {
    phase,
    startTime: pod.status?.startTime ?? timestamp(now),
    containerStatuses: containers,
    conditions: podConditions(picture, { phase, containers }),
    ...whyItEnded(picture),
    ...addresses(picture),
    ...defined({ observedGeneration: pod.metadata.generation }),
  };
}

/** Reason and message come with the terminal phase, not before: until then the Pod has not ended. */
function whyItEnded(picture: Picture): Pick<OwnedStatus, 'reason' | 'message'> {
  const { pod, ending } = picture;
  if (isTerminal(pod)) return defined({ reason: pod.status?.reason, message: pod.status?.message });
  return isOver(picture) && ending ? { reason: ending.reason, message: ending.message } : {};
}

function addresses({ pod, run, hostAddresses }: Picture): Partial<OwnedStatus> {
  const hosts = hostAddresses.filter(address => isIP(address) !== 0);
  const state = run?.guest?.state;
  const guest = state?.phase === 'running' ? state.address : run && pod.status?.podIP;
  const podIP = guest && isIP(guest) ? guest : undefined;
  return defined({
    hostIP: hosts[0],
    hostIPs: hosts.length > 0 ? hosts.map(ip => ({ ip })) : undefined,
    podIP,
    podIPs: podIP ? [{ ip: podIP }] : undefined,
  });
}
