import { names } from '@minifleet/api';
import type { Forge } from '@minifleet/forges';
import { type Client, pods } from '@minifleet/kube';
import type { RunnersClients } from './start-runners.ts';

/** A controller with one defect, and the violation that the defect causes. */
export interface DefectiveController {
  readonly name: string;
  /** Scenario in which the defect causes the violation. */
  readonly scenario: string;
  readonly tamper: (clients: RunnersClients) => RunnersClients;
  readonly violation: RegExp;
}

const withClient = (change: (client: Client) => Partial<Client>) => (clients: RunnersClients) => ({
  ...clients,
  client: { ...clients.client, ...change(clients.client) },
});

const withForge = (change: Partial<Forge>) => (clients: RunnersClients) => ({
  ...clients,
  forge: { ...clients.forge, ...change },
});

const EMPTY_LIST = { metadata: {}, items: [] } as never;

export const defectiveControllers: readonly DefectiveController[] = [
  {
    name: 'deletes a runner without removing it at GitHub',
    scenario: 'scale-down of a pool while jobs arrive',
    tamper: withForge({ remove: async () => 'removed' }),
    violation: /was deleted while it had a job/,
  },
  {
    name: 'counts runners in a stale cache',
    scenario: 'creation of a pool and completion of a job',
    tamper: withClient(client => ({
      list: (resource, selection) =>
        resource.kind === pods.kind && selection?.labelSelector?.startsWith(names.labels.runnerPool)
          ? Promise.resolve(EMPTY_LIST)
          : client.list(resource, selection),
    })),
    violation: /was created as one of \d+ where 2 are desired/,
  },
  {
    name: 'does not delete the Secret of a finished runner',
    scenario: 'creation of a pool and completion of a job',
    tamper: withClient(client => ({
      delete: (resource, key, options) =>
        resource.kind === 'Secret' ? Promise.resolve() : client.delete(resource, key, options),
    })),
    violation: /Secret macos-\w+ is left/,
  },
  {
    name: 'writes the configuration of a runner into an annotation',
    scenario: 'scale-up of a pool',
    tamper: withClient(client => ({
      patch: (resource, key, patch, options) =>
        client.patch(resource, key, withDataInAnnotation(patch as never) as never, options),
    })),
    violation: /configuration-\d+ is visible in an object/,
  },
];

interface SecretPatch {
  readonly body: { readonly data?: Record<string, string>; readonly metadata?: object };
}

/** Copies the data of a Secret patch into an annotation. */
function withDataInAnnotation(patch: SecretPatch): SecretPatch {
  const { data, metadata } = patch.body;
  if (!data) return patch;
  const { annotations = {} } = (metadata ?? {}) as { annotations?: object };
  return {
    ...patch,
    body: { data, metadata: { ...metadata, annotations: { ...annotations, note: Object.values(data)[0] } } },
  };
}
