import { names } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import type { Forge } from '@minifleet/forges';
import { type KubeSecret, type NewObject, secrets } from '@minifleet/kube';
import { CONFIGURATION_KEY, readRegistration } from '../runner/registration.ts';
import { newSecret } from '../runner/runner-objects.ts';
import { keyIn, type RunnerTask, type TaskDeps } from './runner-task.ts';
import { type Backoff, CACHE_LAG } from './tasks.ts';

/**
 * Registers a runner whose Pod is on a Node and stores its configuration. Reads the Secret from the API server first: a
 * second registration of the same name would invalidate the one its VM may be starting with. After a crash before the
 * write it registers again: an unused registration is replaced.
 */
export async function register(
  { client, clock }: TaskDeps,
  { pool, runner, forge }: RunnerTask & { readonly forge: Forge },
  signal: AbortSignal,
): Promise<Backoff | undefined> {
  const key = keyIn(pool, runner.name);
  const secret = await client.find(secrets, key);
  if (readRegistration(secret).id !== undefined) return CACHE_LAG;
  const { runnerLabels, dispatchLabel, forge: wanted } = pool.spec;
  const labels = [...new Set([...runnerLabels, dispatchLabel])];
  const group = wanted?.group === undefined ? {} : { group: wanted.group };
  const { id, configuration } = await forge.singleJobRunner({ name: runner.name, labels, ...group }, { signal });
  const annotations = {
    [names.annotations.runnerID]: String(id),
    [names.annotations.mintedAt]: timestamp(clock.now()),
    [names.annotations.runnerNode]: runner.pod?.spec?.nodeName ?? '',
  };
  const data = { [CONFIGURATION_KEY]: configuration.reveal().toString('base64') };
  if (!secret) await client.create(secrets, withContent(newSecret(pool, runner.name), annotations, data));
  else {
    const { uid, resourceVersion } = secret.metadata;
    const body = { metadata: { uid, resourceVersion, annotations }, data };
    await client.patch(secrets, key, { type: 'merge', body });
  }
  return CACHE_LAG;
}

const withContent = (
  secret: NewObject<KubeSecret>,
  annotations: Record<string, string>,
  data: Record<string, string>,
): NewObject<KubeSecret> => ({
  ...secret,
  metadata: { ...secret.metadata, annotations: { ...secret.metadata.annotations, ...annotations } },
  data,
});
