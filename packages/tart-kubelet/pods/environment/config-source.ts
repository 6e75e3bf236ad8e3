import { type Clock, milliseconds, pause } from '@minifleet/clock';
import { type Client, configMaps, isForbidden, type Pod, secrets } from '@minifleet/kube';
import { CONFIG_MISSING, CONFIG_NOT_YET_READABLE } from '../errors.ts';

/**
 * Half a second in total, at increasing intervals: if the server's authorizer is slow, more requests make it slower.
 */
const RETRY_DELAYS = [10, 25, 60, 150, 300].map(milliseconds);

/**
 * Sends a request on behalf of a Pod and repeats it a few times while it is forbidden: the Node authorizer learns of a
 * binding shortly after the agent does. Reporting each rejection immediately would cost a status write, an event and a
 * longer delay.
 */
export async function onceAuthorized<T>(clock: Clock, ask: () => Promise<T>): Promise<T> {
  for (const delay of RETRY_DELAYS) {
    try {
      return await ask();
    } catch (error) {
      if (!isForbidden(error)) throw error;
      await pause(clock, delay);
    }
  }
  return ask();
}

/** Reads ConfigMaps and Secrets for a Pod's environment and volumes, as bytes by key. */
export interface ConfigSource {
  /** Undefined if the object does not exist and is optional. */
  read(reference: ConfigReference): Promise<ReadonlyMap<string, Buffer> | undefined>;
}

export interface ConfigReference {
  readonly kind: 'configmap' | 'secret';
  readonly namespace: string;
  readonly name: string;
  readonly optional: boolean;
}

/** Reads by name, one object at a time: the Node authorizer allows nothing else. */
export function createConfigSource(client: Client, clock: Clock): ConfigSource {
  return {
    async read({ kind, namespace, name, optional }) {
      const object = await find({ client, clock }, kind, { namespace, name });
      if (object) return object;
      if (optional) return undefined;
      throw CONFIG_MISSING({ kind, name });
    },
  };
}

type ConfigKey = { readonly namespace: string; readonly name: string };

async function find(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  kind: ConfigReference['kind'],
  key: ConfigKey,
): Promise<Map<string, Buffer> | undefined> {
  try {
    if (kind === 'secret') {
      const secret = await onceAuthorized(clock, () => client.find(secrets, key));
      return secret && decode(secret.data, 'base64');
    }
    const map = await onceAuthorized(clock, () => client.find(configMaps, key));
    return map && new Map([...decode(map.data, 'utf8'), ...decode(map.binaryData, 'base64')]);
  } catch (error) {
    if (isForbidden(error)) throw CONFIG_NOT_YET_READABLE({ kind, name: key.name }, { cause: error });
    throw error;
  }
}

const decode = (data: Readonly<Record<string, string>> = {}, encoding: BufferEncoding): Map<string, Buffer> =>
  new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)]));

export const namespaceOf = (pod: Pod): string => pod.metadata.namespace ?? 'default';
