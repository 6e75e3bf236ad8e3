import type { Clock } from '@minifleet/clock';
import { type Client, configMaps, isForbidden, type Pod, secrets } from '@minifleet/kube';
import { CONFIG_MISSING, CONFIG_NOT_YET_READABLE } from '../errors.ts';
import { onceAuthorized } from './once-authorized.ts';

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
