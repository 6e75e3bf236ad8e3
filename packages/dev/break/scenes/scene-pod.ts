import { names } from '@minifleet/api';
import { type Pod, pods } from '@minifleet/kube';
import type { Stage } from '../stage.ts';
import { awaitScene } from './await-scene.ts';
import { unlessGone } from './unless-gone.ts';

const NAMESPACE = 'default';
const IMAGE = 'ghcr.io/acme/macos:1';

export interface ScenePodOptions {
  /** Among the Pods of a scene. */
  readonly name: string;
  /** For `/bin/sh -c` in the guest; without one the VM itself is the process. */
  readonly script?: string;
  readonly image?: string;
  readonly finalizers?: readonly string[];
}

/** A Pod made for a scene, on the host that is struck. */
export interface ScenePod {
  readonly name: string;
  /** As it is now; undefined when it is gone. */
  find(): Promise<Pod | undefined>;
  /** Waits until it is in that phase. */
  reaches(phase: 'Running' | 'Succeeded'): Promise<Pod>;
  /** Asks for its deletion and does not wait. */
  delete(): Promise<void>;
  /** Has it gone, whoever holds it. */
  remove(): Promise<void>;
}

export async function createScenePod(stage: Stage, options: ScenePodOptions): Promise<ScenePod> {
  const { client, since } = stage;
  // No two strikes share one, however soon they follow each other.
  const name = `break-${options.name}-${since.toString(36)}`;
  const key = { namespace: NAMESPACE, name };
  const finalizers = [...(options.finalizers ?? [])];
  await client.create(pods, { metadata: { ...key, finalizers }, spec: specOn(stage.name, options) });
  const find = (): Promise<Pod | undefined> => client.find(pods, key);
  const remove = (): Promise<void> => client.delete(pods, key, { gracePeriodSeconds: 1 });
  return {
    name,
    find,
    reaches: phase =>
      awaitScene(stage, `the Pod ${name} is ${phase}`, async () => {
        const pod = await find();
        return pod?.status?.phase === phase && pod;
      }),
    delete: remove,
    async remove() {
      const body = { metadata: { finalizers: null } };
      await client.patch(pods, key, { type: 'merge', body }).catch(unlessGone);
      await remove().catch(unlessGone);
    },
  };
}

const specOn = (node: string, { image = IMAGE, script }: ScenePodOptions): NonNullable<Pod['spec']> => ({
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 5,
  automountServiceAccountToken: false,
  nodeSelector: { 'kubernetes.io/hostname': node },
  tolerations: [{ key: names.taints.macos.key, operator: 'Exists' }],
  containers: [{ name: 'main', image, ...(script === undefined ? {} : { command: ['/bin/sh', '-c', script] }) }],
});

/** How its one container ended; undefined as long as it has not. */
export const endOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.state?.terminated;
