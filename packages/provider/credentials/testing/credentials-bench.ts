import { type HostSource, type MacHost, macHost, names } from '@minifleet/api';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type KubeSecret, namespaces, secrets, silentLog } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import type { Server } from '@minifleet/vendors';
import { type MemoryVendor, memoryId, memoryVendor } from '@minifleet/vendors/testing';
import type { HostCredentialStore } from '../credentials.ts';
import { type CredentialsOptions, createCredentials } from '../credentials.ts';
import { textIn } from '../edit-secret.ts';

const NAMESPACE = 'fleet';
const CLUSTER_ID = 'c1a2b3c4-0000-4000-8000-000000000000';
export const HOST = memoryId(1);

interface HeldHost {
  readonly fleet?: string;
  /** Name of the MacHost (default: server id of the host). */
  readonly name?: string;
  /** Name of the server before the claim (default: undefined, as for a machine of the previous system). */
  readonly originalName?: string;
  /** An owned Mac (default: the server at the vendor). */
  readonly owned?: NonNullable<HostSource['owned']>;
}

/** An API, a vendor with one host, and providers over both. */
export interface CredentialsBench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly vendor: MemoryVendor;
  readonly server: Server;
  /** One more provider, as a new process. */
  provider(options?: Partial<CredentialsOptions>): HostCredentialStore;
  /** A MacHost that this machine holds. */
  host(machine: string, held?: HeldHost): Promise<MacHost>;
  secret(name: string): Promise<KubeSecret>;
  /** Decoded data of the Secret. */
  texts(name: string): Promise<Record<string, string>>;
  /** Edits the Secret like an operator with kubectl. */
  write(name: string, stringData: Readonly<Record<string, string>>): Promise<void>;
}

export async function credentialsBench(server: Partial<Server> = {}): Promise<CredentialsBench> {
  const clock = fakeClock();
  const api = createMemoryApi({ clock, crds: [macHost.crd()] });
  await api.client.create(namespaces, { metadata: { name: NAMESPACE } });
  const vendor = memoryVendor({ servers: [server] });
  let seed = 0;
  const secret = (name: string): Promise<KubeSecret> => api.client.get(secrets, { namespace: NAMESPACE, name });
  return {
    api,
    clock,
    vendor,
    server: vendor.find(HOST),
    provider: (options = {}) =>
      createCredentials({
        client: api.client,
        clusterId: CLUSTER_ID,
        clock,
        log: silentLog,
        vendor,
        random: bytes => Buffer.alloc(bytes, ++seed),
        ...options,
      }),
    host: (machine, { fleet, owned, originalName, name = HOST } = {}) =>
      api.client.create(macHost.resource, {
        metadata: { name },
        spec: {
          source: owned ? { owned } : { scaleway: { zone: 'fr-par-1', serverID: name } },
          pool: 'tuist-pool-',
          claimEpoch: 1,
          ...(originalName === undefined ? {} : { originalName }),
          consumerRef: {
            apiGroup: names.groups.infrastructure,
            kind: owned ? 'MacMachine' : 'ScalewayAppleSiliconMachine',
            namespace: NAMESPACE,
            name: machine,
            uid: `uid-of-${machine}`,
          },
          desired: { nodeName: machine, ...(fleet === undefined ? {} : { fleet }) },
        },
      }),
    secret,
    async texts(name) {
      const found = await secret(name);
      return Object.fromEntries(Object.keys(found.data ?? {}).map(key => [key, textIn(found, key) ?? '']));
    },
    async write(name, stringData) {
      await api.client.patch(secrets, { namespace: NAMESPACE, name }, { type: 'merge', body: { stringData } });
    },
  };
}
