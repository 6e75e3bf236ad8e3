import path from 'node:path';
import type { Pod } from '@minifleet/kube';

/** Where the files of one Pod are. */
interface PodPlaces {
  readonly directory: string;
  readonly environment: string;
  readonly volumes: string;
}

export function podPlaces(state: string, uid: string): PodPlaces {
  const directory = path.join(state, 'pods', uid);
  return { directory, environment: path.join(directory, 'env'), volumes: path.join(directory, 'volumes') };
}

/** `<namespace>_<name>_<uid>`: readable for a person, and found by the server without asking anybody. */
export const podLogDirectory = (logs: string, { metadata }: Pod): string =>
  path.join(logs, `${metadata.namespace ?? 'default'}_${metadata.name}_${metadata.uid ?? ''}`);

export const logFileOf = (logs: string, pod: Pod, attempt: number): string =>
  path.join(podLogDirectory(logs, pod), pod.spec?.containers[0]?.name ?? 'container', `${attempt}.log`);
