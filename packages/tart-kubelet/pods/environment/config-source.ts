import { type Clock, milliseconds, pause } from '@minifleet/clock';
import { type Client, configMaps, isForbidden, type Pod, secrets } from '@minifleet/kube';
import { CONFIG_MISSING, CONFIG_NOT_YET_READABLE } from '../errors.ts';

/** Together half a second. Further and further apart: where the server is slow to learn, more questions make it slower. */
const AGAIN_AFTER = [10, 25, 60, 150, 300].map(milliseconds);

/**
 * Asks for something of a Pod, and again a few times while it is refused: the Node authorizer learns of a binding a
 * moment later than we do. Told to the user at once, each refusal would cost a status write, an event and a longer wait.
 */
export async function onceAuthorized<T>(clock: Clock, ask: () => Promise<T>): Promise<T> {
  for (const delay of AGAIN_AFTER) {
    try {
      return await ask();
    } catch (error) {
      if (!isForbidden(error)) throw error;
      await pause(clock, delay);
    }
  }
  return ask();
}

/** ConfigMaps and Secrets as a Pod's environment and volumes read them: bytes by key. */
export interface ConfigSource {
  /** Undefined when it does not exist and need not. */
  read(reference: ConfigReference): Promise<ReadonlyMap<string, Buffer> | undefined>;
}

export interface ConfigReference {
  readonly kind: 'configmap' | 'secret';
  readonly namespace: string;
  readonly name: string;
  readonly optional: boolean;
}

/** Reads by name, one object at a time: all that the Node authorizer lets a node see. */
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

type Key = { readonly namespace: string; readonly name: string };

async function find(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  kind: ConfigReference['kind'],
  key: Key,
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
