import assert from 'node:assert/strict';
import type { GhActionsRunner } from '@minifleet/api';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { FORGE_REFUSED } from '@minifleet/forges';
import { type MemoryForge, type MemoryForgeOptions, memoryForge, memoryResolver } from '@minifleet/forges/testing';
import { namespaces, secrets } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import type { BuilderForge } from '../builder-forge.ts';
import { createBuilderForge } from '../builder-forge.ts';

export const NAMESPACE = 'builders';
export const SPEC: GhActionsRunner = { ghOrg: 'acme', ghRunnerLabels: 'macos', ghAppSecretName: 'github-app' };

/** Error that needs an operator. */
export const refused = FORGE_REFUSED({ forge: 'memory', call: 'it', account: 'acme', app: '42', why: 'no rights' });

/** Returns the rejection of a promise. */
export const failure = (asking: Promise<unknown>): Promise<unknown> =>
  asking.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  );

/** An API with a Secret `github-app`, a forge it leads to, and runners of builders over both. */
export interface BuildersBench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly forge: MemoryForge;
  readonly resolver: ReturnType<typeof memoryResolver>;
  readonly runners: BuilderForge;
  /** Number of calls to this method. */
  readonly called: (call: MemoryForge['calls'][number]['call']) => number;
}

export async function buildersBench(options: MemoryForgeOptions = {}): Promise<BuildersBench> {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const { client } = api;
  await client.create(namespaces, { metadata: { name: NAMESPACE } });
  await client.create(secrets, {
    metadata: { namespace: NAMESPACE, name: 'github-app' },
    stringData: { 'app-id': '42', 'installation-id': '4242', 'private-key': 'a key' },
  });
  const forge = memoryForge({ clock, ...options });
  const resolver = memoryResolver(forge);
  return {
    api,
    clock,
    forge,
    resolver,
    runners: createBuilderForge({ client, clock, resolver }),
    called: call => forge.calls.filter(made => made.call === call).length,
  };
}
