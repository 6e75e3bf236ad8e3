import type { Pod } from '@minifleet/kube';
import type { Guest } from '../../guests/guest.ts';

/** Whether a run is of another image than its Pod asks for by now. Records of earlier agents do not say what was asked for. */
export function imageChanged(pod: Pod | undefined, guest: Guest | undefined): boolean {
  const ran = guest?.spec.imageName;
  return ran !== undefined && pod !== undefined && ran !== imageOf(pod);
}

export const imageOf = ({ spec }: Pod): string | undefined => spec?.containers[0]?.image;
