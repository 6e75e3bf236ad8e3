import { type Clock, systemClock } from '@minifleet/clock';
import { customResourceDefinitions, namespaces } from '../client/built-in.ts';
import { type Client, createClient } from '../client/client.ts';
import { apiVersionOf, type Resource } from '../client/resource.ts';
import { retrying } from '../client/retrying-transport.ts';
import type { ApiRequest, Transport } from '../client/transport.ts';
import { type KubeObject, keyOf, keyString } from '../object.ts';
import { createFaults, FaultPlan, type Faults } from './faults.ts';
import { builtInKinds } from './kinds/built-in-kinds.ts';
import { schemalessKind } from './kinds/custom-kind.ts';
import { KindRegistry } from './kinds/kind-registry.ts';
import { establishedStatus, serveDefinitions } from './kinds/serve-definitions.ts';
import type { Validate } from './kinds/served-kind.ts';
import { MemoryServer } from './server/memory-server.ts';
import { createMemoryTransport } from './server/memory-transport.ts';
import { copyOf, type StoredObject } from './store/json.ts';
import { Store } from './store/store.ts';
import type { ApiState } from './write/api-state.ts';
import { createObject, prepareNew } from './write/create.ts';
import { type Random, repeatableRandom } from './write/random-name.ts';

export interface MemoryApiOptions {
  readonly clock: Clock;
  /** Custom kinds to serve without a definition: any fields are allowed, and the status has its subresource. */
  readonly resources?: readonly Resource[];
  /** CustomResourceDefinitions that exist from the start. Others are created through the API. */
  readonly crds?: readonly KubeObject[];
  /** Validates objects of a kind beyond its schema, in place of CEL rules and admission webhooks. */
  readonly validate?: readonly { readonly resource: Pick<Resource, 'group' | 'kind'>; readonly validate: Validate }[];
  /** Number of changes that are kept before old versions expire. */
  readonly historyLimit?: number;
}

export interface MemoryApi {
  readonly transport: Transport;
  /** Retries like a client of a real server, on the given clock. */
  readonly client: Client;
  readonly faults: Faults;
  /** Every request that was sent, retries included, in order. */
  readonly requests: readonly ApiRequest[];
  /** The version of the last write. */
  readonly resourceVersion: string;
  /** All objects, as in a backup of etcd. */
  backup(): Backup;
  /** Replaces all objects of the kinds in the backup, with their UIDs, and ends all watches, as a restore of etcd does. */
  restore(backup: Backup): void;
}

/** Objects by `group/plural`. */
export type Backup = Readonly<Record<string, readonly KubeObject[]>>;

const STANDARD_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** An in-memory API server behind the transport that clients also use for a real server. */
export function createMemoryApi(options: MemoryApiOptions): MemoryApi {
  const { clock } = options;
  const store = new Store(options.historyLimit ?? 10_000);
  const state: ApiState = { clock, store, kinds: new KindRegistry(), random: randomFor(clock) };
  for (const kind of builtInKinds) state.kinds.add(kind);
  const validate = ({ group, kind }: Resource): Validate | undefined =>
    options.validate?.find(({ resource }) => resource.group === group && resource.kind === kind)?.validate;
  for (const resource of options.resources ?? []) {
    if (!state.kinds.find(resource)) state.kinds.add(schemalessKind(resource, { servedSince: 0, validate }));
  }
  const definitionsChanged = serveDefinitions(state, validate);
  for (const name of STANDARD_NAMESPACES) create(state, namespaces, { metadata: { name } });
  for (const crd of options.crds ?? []) seedDefinition(state, crd as StoredObject);
  definitionsChanged();

  const plan = new FaultPlan();
  const requests: ApiRequest[] = [];
  const server = new MemoryServer(state, definitionsChanged);
  const transport = createMemoryTransport({ server, plan, onRequest: request => requests.push(request) });
  return {
    transport,
    client: createClient(retrying(transport, { clock })),
    faults: createFaults(plan, {
      clock,
      dropWatches: () => transport.dropWatches(),
      expireHistory: () => store.forget(),
    }),
    requests,
    get resourceVersion() {
      return String(store.version);
    },
    backup: () => Object.fromEntries(store.kinds().map(kind => [kind, store.all(kind)])),
    restore(backup) {
      for (const [kind, objects] of Object.entries(backup)) replaceAll(store, kind, objects as readonly StoredObject[]);
      transport.dropWatches();
      store.forget();
    },
  };
}

function replaceAll(store: Store, kind: string, objects: readonly StoredObject[]): void {
  const names = new Set(objects.map(object => keyString(keyOf(object))));
  for (const object of store.all(kind)) if (!names.has(keyString(keyOf(object)))) store.remove(kind, keyOf(object));
  for (const object of objects) store.write(kind, copyOf(object));
}

/**
 * Names and UIDs are the same in every run under a held clock. On real time they are unique: real processes and VMs are
 * named by a UID there, and two test files that run at once find them in one process table.
 */
const randomFor = (clock: Clock): Random => (clock === systemClock ? Math.random : repeatableRandom());

function create(state: ApiState, resource: Resource, object: Partial<KubeObject>): void {
  const typed = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const sent = copyOf({ ...object, ...typed }) as StoredObject;
  createObject(state, state.kinds.get(resource), sent, { manager: 'kube-apiserver', dryRun: false, strict: false });
}

/**
 * Stores a definition as served, without validation, defaults and managed fields. Creating the CRDs of Minifleet in full was
 * a tenth of the processor time of all unit tests, and no test reads the difference.
 */
function seedDefinition(state: ApiState, crd: StoredObject): void {
  const kind = state.kinds.get(customResourceDefinitions);
  const definition = prepareNew(state, kind, crd);
  state.store.write(kind.id, { ...definition, status: establishedStatus(state, definition) });
}
