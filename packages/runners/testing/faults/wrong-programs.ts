import { names } from '@minifleet/api';
import type { Forge } from '@minifleet/forges';
import { type Client, pods } from '@minifleet/kube';
import type { Hands } from './start-runners.ts';

/** A program with one fault, and what is found of it. */
export interface WrongProgram {
  readonly name: string;
  /** Scene in which it shows. */
  readonly scene: string;
  readonly tamper: (hands: Hands) => Hands;
  readonly found: RegExp;
}

const withClient = (change: (client: Client) => Partial<Client>) => (hands: Hands) => ({
  ...hands,
  client: { ...hands.client, ...change(hands.client) },
});

const withForge = (change: Partial<Forge>) => (hands: Hands) => ({ ...hands, forge: { ...hands.forge, ...change } });

const NOTHING = { metadata: {}, items: [] } as never;

export const wrongPrograms: readonly WrongProgram[] = [
  {
    name: 'takes a runner away without asking the forge',
    scene: 'the pool shrinks, and jobs come at the same moment',
    tamper: withForge({ remove: async () => 'removed' }),
    found: /was deleted while it had a job/,
  },
  {
    name: 'counts runners in a cache that lags',
    scene: 'a pool is made, a job is taken and done',
    tamper: withClient(client => ({
      list: (resource, selection) =>
        resource.kind === pods.kind && selection?.labelSelector?.startsWith(names.labels.runnerPool)
          ? Promise.resolve(NOTHING)
          : client.list(resource, selection),
    })),
    found: /was made as one of \d+ where 2 are desired/,
  },
  {
    name: 'does not clear what is left of a runner',
    scene: 'a pool is made, a job is taken and done',
    tamper: withClient(client => ({
      delete: (resource, key, options) =>
        resource.kind === 'Secret' ? Promise.resolve() : client.delete(resource, key, options),
    })),
    found: /the Secret macos-\w+ is left/,
  },
  {
    name: 'writes what a runner is started with where everybody reads it',
    scene: 'the pool grows',
    tamper: withClient(client => ({
      patch: (resource, key, patch, options) => client.patch(resource, key, shown(patch as never) as never, options),
    })),
    found: /configuration-\d+ is visible in an object/,
  },
];

interface SecretPatch {
  readonly body: { readonly data?: Record<string, string>; readonly metadata?: object };
}

/** The same, and its content among the annotations. */
function shown(patch: SecretPatch): SecretPatch {
  const { data, metadata } = patch.body;
  if (!data) return patch;
  const { annotations = {} } = (metadata ?? {}) as { annotations?: object };
  return {
    ...patch,
    body: { data, metadata: { ...metadata, annotations: { ...annotations, note: Object.values(data)[0] } } },
  };
}
