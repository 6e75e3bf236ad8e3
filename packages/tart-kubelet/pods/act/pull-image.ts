import { type Duration, formatDuration, milliseconds } from '@minifleet/clock';
import { isForbidden, type Pod, secrets } from '@minifleet/kube';
import type { RegistryCredentials } from '../../guests/tart.ts';
import { readPullSecret } from '../../images/registry-credentials.ts';
import { namespaceOf } from '../environment/config-source.ts';
import { onceAuthorized } from '../environment/once-authorized.ts';
import { CONFIG_NOT_YET_READABLE } from '../errors.ts';
import type { Work } from '../work.ts';

/** Has the image on the host when it resolves, with kubelet's events on the way; gives its digest. */
export async function pullImage(work: Work, pod: Pod, signal: AbortSignal): Promise<string> {
  const { around } = work;
  const { image = '', imagePullPolicy: policy = 'IfNotPresent' } = pod.spec?.containers[0] ?? {};
  const since = around.clock.now();
  const credentials = await readCredentials(work, pod);
  const pulling = (words: string): void => work.say('Normal', 'Pulling', `Pulling image "${image}": ${words}`);
  if (policy === 'Always') work.say('Normal', 'Pulling', `Pulling image "${image}"`);
  const { digest, pulled } = await around.images.ensure({
    image,
    policy,
    credentials,
    onProgress: pulling,
    signal,
  });
  signal.throwIfAborted();
  work.say('Normal', 'Pulled', pulledWords(image, pulled ? milliseconds(around.clock.now() - since) : undefined));
  return digest;
}

const pulledWords = (image: string, took: Duration | undefined): string =>
  took === undefined
    ? `Container image "${image}" already present on machine`
    : `Successfully pulled image "${image}" in ${formatDuration(took)}`;

/** A pull secret that is missing is passed over, as kubelet does: the registry may not ask for it. */
async function readCredentials({ around }: Work, pod: Pod): Promise<RegistryCredentials[]> {
  const found: RegistryCredentials[] = [];
  for (const { name = '' } of pod.spec?.imagePullSecrets ?? []) {
    try {
      const secret = await onceAuthorized(around.clock, () =>
        around.client.find(secrets, { namespace: namespaceOf(pod), name }),
      );
      if (secret) found.push(...readPullSecret(secret));
    } catch (error) {
      if (isForbidden(error)) throw CONFIG_NOT_YET_READABLE({ kind: 'secret', name }, { cause: error });
      throw error;
    }
  }
  return found;
}
