import path from 'node:path';
import type { Pod } from '@minifleet/kube';

interface PodPaths {
  readonly directory: string;
  readonly environment: string;
  readonly volumes: string;
}

export function podPaths(state: string, uid: string): PodPaths {
  const directory = path.join(state, 'pods', uid);
  return { directory, environment: path.join(directory, 'env'), volumes: path.join(directory, 'volumes') };
}

/** `<namespace>_<name>_<uid>`: readable for operators, and computable by the server without a lookup. */
export const podLogDirectory = (logs: string, { metadata }: Pod): string =>
  path.join(logs, `${metadata.namespace ?? 'default'}_${metadata.name}_${metadata.uid ?? ''}`);

export const logFileOf = (logs: string, pod: Pod, attempt: number): string =>
  path.join(podLogDirectory(logs, pod), pod.spec?.containers[0]?.name ?? 'container', `${attempt}.log`);
