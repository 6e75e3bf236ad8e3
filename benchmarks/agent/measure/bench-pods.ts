import { type Client, type Pod, pods } from '@minifleet/kube';
import { FLEET_LABEL, SLOT } from '../fleet/node-object.ts';

export interface BenchPod {
  readonly name: string;
  readonly fleet: string;
  readonly image?: string;
  /** True to mount the token of its service account (default: true). */
  readonly token?: boolean;
}

/** Creates a Pod that uses one VM slot of its fleet. */
export function createPod(admin: Client, pod: BenchPod): Promise<Pod> {
  const { name, fleet, image = 'registry.example/macos:15', token = true } = pod;
  return admin.create(pods, {
    metadata: { namespace: 'default', name },
    spec: {
      automountServiceAccountToken: token,
      nodeSelector: { [FLEET_LABEL]: fleet },
      terminationGracePeriodSeconds: 5,
      containers: [{ name: 'vm', image, resources: { limits: { [SLOT]: '1' } } }],
    },
  });
}

export const deletePod = (admin: Client, name: string): Promise<void> =>
  admin.delete(pods, { namespace: 'default', name });
