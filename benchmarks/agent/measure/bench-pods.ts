import { type Client, type Pod, pods } from '@minifleet/kube';
import { FLEET_LABEL, SLOT } from '../fleet/node-object.ts';

export interface BenchPod {
  readonly name: string;
  readonly fleet: string;
  readonly image?: string;
  /** Whether it gets the token of its service account; it does unless told. */
  readonly token?: boolean;
}

/** A Pod that takes one VM slot of the fleet it names. */
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
