import { createHash } from 'node:crypto';
import {
  type MacMachine,
  machineKinds,
  macMachine,
  names,
  type ScalewayAppleSiliconMachine,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  createMetrics,
  createRuntime,
  events,
  type KubeEvent,
  type KubeSecret,
  type Node,
  namespaces,
  nodes,
  secrets,
  silentLog,
} from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import type { Cluster } from '../../cluster-api/kinds.ts';
import { addIndexes, machineIndexes } from '../../cluster-api/machine-indexes.ts';
import { type AddJoinOptions, addJoin } from '../add-join.ts';
import { TOKENS } from '../bootstrap-token.ts';
import type { Join } from '../join.ts';
import { PROVIDER_ID } from './machine.ts';
import { newRequest } from './requests.ts';

export const machines = scalewayAppleSiliconMachine.resource;
export const CA = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
export const LIFE = minutes(30);

/** An API with our machines, and providers that only let hosts join. */
export interface JoinBench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  /** One more provider, as a new process; its controllers run until the test ends. */
  provider(options?: Partial<AddJoinOptions>): Promise<Join>;
  machine(name: string, spec?: Partial<ScalewayAppleSiliconMachine['spec']>): Promise<ScalewayAppleSiliconMachine>;
  macMachine(name: string): Promise<MacMachine>;
  node(name: string, providerID?: string): Promise<Node>;
  tokens(): Promise<KubeSecret[]>;
  /** Sends a request and lets the approvers see it. */
  ask(name: string, spec: CertificateSigningRequest['spec']): Promise<string>;
  /** Decision: `Denied: why`, `Approved: …`, or `pending`. */
  answer(name: string): Promise<string>;
  events(): Promise<KubeEvent[]>;
}

export const cluster: Cluster = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'fleet', name: 'mac' },
  spec: { controlPlaneEndpoint: { host: 'api.example', port: 6443 } },
};

export async function joinBench(context: { after(end: () => void): void }): Promise<JoinBench> {
  const clock = fakeClock();
  const api = createMemoryApi({ clock, crds: [scalewayAppleSiliconMachine.crd(), macMachine.crd()] });
  const { client } = api;
  for (const name of ['fleet', 'other']) await client.create(namespaces, { metadata: { name } });
  const stop = new AbortController();
  context.after(() => stop.abort());
  let drawn = 0;
  const answer = async (name: string): Promise<string> => {
    const { status } = await client.get(certificateSigningRequests, { name });
    const [condition] = status?.conditions ?? [];
    return condition ? `${condition.type}: ${condition.message}` : 'pending';
  };
  return {
    api,
    clock,
    async provider(options = {}) {
      const runtime = createRuntime({
        name: 'test',
        identity: 'one',
        client,
        clock,
        log: silentLog,
        metrics: createMetrics(),
      });
      const selection = options.machines ?? {};
      for (const { resource } of machineKinds) addIndexes(runtime.informer(resource, selection), machineIndexes);
      const join = addJoin(runtime, {
        client: runtime.client,
        clock,
        random: bytes => createHash('shake256', { outputLength: bytes }).update(String(++drawn)).digest(),
        ca: CA,
        server: undefined,
        settings: { tokenLife: LIFE },
        machines: selection,
        fence: async () => undefined,
        ...options,
      });
      void runtime.run(stop.signal);
      await clock.settle();
      return join;
    },
    machine: (name, spec = {}) =>
      client.create(machines, {
        metadata: { namespace: 'fleet', name },
        spec: { providerID: PROVIDER_ID, ...spec } as ScalewayAppleSiliconMachine['spec'],
      }),
    macMachine: name =>
      client.create(macMachine.resource, {
        metadata: { namespace: 'fleet', name },
        spec: { pool: 'desk', providerID: `${names.ownedProviderIDScheme}://${name}` } as MacMachine['spec'],
      }),
    node: (name, providerID = PROVIDER_ID) => client.create(nodes, { metadata: { name }, spec: { providerID } }),
    tokens: async () => (await client.list(secrets, TOKENS)).items,
    async ask(name, spec) {
      await client.create(certificateSigningRequests, newRequest(name, spec));
      await clock.settle();
      return answer(name);
    },
    answer,
    events: async () => (await client.list(events)).items,
  };
}
