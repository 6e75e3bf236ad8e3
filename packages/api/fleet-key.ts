import { createHash } from 'node:crypto';
import * as names from './names.ts';

/** Keys of the Secret with the SSH key of a fleet. */
export const fleetKeyFiles = { private: 'id_ed25519', public: 'id_ed25519.pub' } as const;

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Name of the Secret with the SSH key of a fleet. A fleet name is a label value, which allows more characters than an object name; a hash
 * keeps changed names unique.
 */
export function fleetKeySecret(fleet: string): string {
  if (OBJECT_NAME.test(fleet)) return `${fleet}-ssh`;
  const digest = createHash('sha256').update(fleet).digest('hex').slice(0, 8);
  return `${fleet.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${digest}-ssh`;
}

/** Labels of that Secret. clusterctl moves it because of its label, because hosts accept no other key. */
export const fleetKeyLabels = (fleet: string | undefined): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'minifleet',
  [names.clusterApi.moveLabel]: '',
  ...(fleet === undefined ? {} : { [names.labels.fleet]: fleet }),
});
