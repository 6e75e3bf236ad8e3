import { kinds } from '@minifleet/api';
import { type Clock, milliseconds, pause, seconds } from '@minifleet/clock';
import { type Client, type CustomResourceDefinition, customResourceDefinitions, isNotFound } from '@minifleet/kube';

const DEADLINE = seconds(30);
const ASK_AGAIN = milliseconds(100);

export interface InstallCrdsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Applies the Minifleet CRDs and returns their names once the API server serves and documents them. Idempotent. */
export async function installCrds(options: InstallCrdsOptions): Promise<readonly string[]> {
  const { client, clock, signal } = options;
  const crds = kinds.map(kind => kind.crd());
  const how = { fieldManager: 'minifleet', force: true, fieldValidation: 'Strict', signal } as const;
  await Promise.all(
    crds.map(crd => client.apply(customResourceDefinitions, crd as unknown as CustomResourceDefinition, how)),
  );
  const end = clock.now() + DEADLINE;
  for (let missing = await undocumentedKinds(options); missing.length > 0; missing = await undocumentedKinds(options)) {
    if (clock.now() > end) {
      throw new Error(`the API server does not serve ${missing.join(', ')}; see kubectl describe crds`);
    }
    await pause(clock, ASK_AGAIN, signal);
    signal.throwIfAborted();
  }
  return crds.map(crd => crd.metadata.name);
}

/**
 * Lists kinds that are missing in the published OpenAPI description. The description follows about a second after a CRD is
 * Established. Before that, kubectl neither explains nor validates, so waiting for Established is not enough.
 */
async function undocumentedKinds({ client, signal }: InstallCrdsOptions): Promise<string[]> {
  const groups = [...new Set(kinds.map(({ resource }) => `${resource.group}/${resource.version}`))];
  const texts = await Promise.all(groups.map(group => description(client, group, signal)));
  return kinds
    .map(({ resource }) => resource.kind)
    .filter(kind => !texts.some(text => text.includes(`"kind":"${kind}"`)));
}

async function description(client: Client, group: string, signal: AbortSignal): Promise<string> {
  try {
    return await client.send({ method: 'GET', path: `/openapi/v3/apis/${group}`, signal });
  } catch (error) {
    if (isNotFound(error)) return '';
    throw error;
  }
}
