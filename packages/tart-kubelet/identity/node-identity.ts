import { join } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { ApiError, type Client, type CredentialSources, connectClient, type Log, nodes } from '@minifleet/kube';
import type { NodeFinding } from '../node/finding.ts';
import { CertificateManager, type CertificateManagerOptions, certificateFinding } from './certificate-manager.ts';
import { createCertificateStore, type NodeCredential } from './certificate-store.ts';
import { clientTerms, servingTerms } from './certificate-terms.ts';
import { NODE_CANNOT_JOIN } from './errors.ts';

import {
  type ClusterConnection,
  clusterOf,
  ownKubeconfig,
  readIfPresent,
  writeOwnKubeconfig,
} from './node-kubeconfig.ts';
import { createRenewableClient } from './renewable-client.ts';

export interface IdentityOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  /** Cluster address and bootstrap token; read each time it is needed, so that a new token can be placed there. */
  readonly bootstrapKubeconfig: string;
  /** Folder of keys, certificates and the node's kubeconfig. */
  readonly directory: string;
  /** Names and addresses on the Node object. */
  readonly servingHosts: () => readonly string[];
  readonly expirationSeconds?: number | undefined;
  readonly connect?: ((sources: CredentialSources) => Client) | undefined;
  /** Called when the finding may have changed. */
  readonly onChange?: (() => void) | undefined;
}

/** Identity of this node: a client certificate and a serving certificate, both renewed in time. */
export interface NodeIdentity {
  /** Authenticates as the node once joined; connections change with the certificate, transparently for callers. */
  readonly client: Client;
  /** For operators on the host: `kubectl --kubeconfig`. */
  readonly kubeconfig: string;
  readonly joined: Promise<void>;
  finding(): NodeFinding;
  /** Calls back with the certificate in use, immediately if there is one, and at each replacement. */
  onServingCredential(listener: (credential: NodeCredential) => void): void;
  /** Called when the Node's addresses may have changed. */
  addressesChanged(): void;
  run(signal: AbortSignal): Promise<void>;
}

export function createIdentity(options: IdentityOptions): NodeIdentity {
  const { clock, nodeName, directory } = options;
  const connect = options.connect ?? (sources => connectClient(sources, { clock, userAgent: 'tart-kubelet' }));
  const kubeconfig = join(directory, 'kubeconfig');
  const cluster = rememberCluster(options, kubeconfig);
  const own = createRenewableClient(clock);
  const bootstrap = createBootstrapClient(options, connect);
  const joined = Promise.withResolvers<void>();
  const serving = createLatest<NodeCredential>();

  const clientManager = createManager(options, 'client', {
    terms: () => clientTerms(nodeName),
    client: valid => (valid ? own.client : bootstrap.open()),
    onCredential: ({ certificate, key }) => {
      own.use(connect({ ...cluster(), certificate: { data: certificate }, key: { data: key } }));
      void bootstrap.close();
    },
    onChange: () => {
      if (clientManager.view.valid) joined.resolve();
      options.onChange?.();
    },
  });
  const servingManager = createManager(options, 'serving', {
    terms: () => servingTerms(nodeName, options.servingHosts()),
    client: () => own.client,
    onCredential: credential => serving.set(credential),
    onChange: () => options.onChange?.(),
  });

  async function run(signal: AbortSignal): Promise<void> {
    await writeOwnKubeconfig(directory, kubeconfig, await ownKubeconfig(cluster(), 'client.pem'));
    const afterJoining = async (): Promise<void> => {
      await joined.promise;
      if (signal.aborted) return;
      if (await isRejectedBy(own.client, nodeName)) clientManager.distrust();
      await servingManager.run(signal);
    };
    const stopped = clientManager.run(signal).finally(joined.resolve);
    await Promise.all([stopped, afterJoining()]);
    await Promise.all([bootstrap.close(), own.client.close()]);
  }

  return {
    client: own.client,
    kubeconfig,
    joined: joined.promise,
    finding: () => certificateFinding(clientManager.view, servingManager.view),
    onServingCredential: listener => serving.subscribe(listener),
    addressesChanged: () => servingManager.recheck(),
    async run(signal) {
      const ended = run(signal);
      ended.catch(joined.reject); // a failed run must not block callers that wait for the join
      await ended;
    },
  };
}

type ManagerCallbacks = Pick<CertificateManagerOptions, 'terms' | 'client' | 'onCredential' | 'onChange'>;

const createManager = (
  options: IdentityOptions,
  name: 'client' | 'serving',
  parts: ManagerCallbacks,
): CertificateManager =>
  new CertificateManager({
    ...parts,
    clock: options.clock,
    log: options.log.child({ certificate: name }),
    store: createCertificateStore({ directory: options.directory, name }),
    expirationSeconds: options.expirationSeconds,
  });

/**
 * Checks whether the cluster rejects the certificate as such: it belongs to another cluster, from a previous use of
 * this host.
 */
async function isRejectedBy(client: Client, nodeName: string): Promise<boolean> {
  try {
    await client.find(nodes, { name: nodeName });
    return false;
  } catch (error) {
    return error instanceof ApiError && error.code === 401;
  }
}

/**
 * Cluster from the bootstrap kubeconfig, which an operator can change; without it, from the node's own kubeconfig. Read
 * once.
 */
function rememberCluster({ bootstrapKubeconfig }: IdentityOptions, kubeconfig: string): () => ClusterConnection {
  let cluster: ClusterConnection | undefined;
  return () => {
    const sources = cluster ?? readIfPresent(bootstrapKubeconfig) ?? readIfPresent(kubeconfig);
    if (!sources) throw NODE_CANNOT_JOIN({ path: bootstrapKubeconfig });
    cluster = clusterOf(sources);
    return cluster;
  };
}

/** Opens a new client for each attempt: the last token may have expired and been replaced. */
function createBootstrapClient(
  { bootstrapKubeconfig }: IdentityOptions,
  connect: (sources: CredentialSources) => Client,
) {
  let current: Client | undefined;
  const close = async (): Promise<void> => {
    const old = current;
    current = undefined;
    await old?.close();
  };
  return {
    open(): Client {
      void close();
      const sources = readIfPresent(bootstrapKubeconfig);
      if (!sources) throw NODE_CANNOT_JOIN({ path: bootstrapKubeconfig });
      current = connect(sources);
      return current;
    },
    close,
  };
}

function createLatest<T>() {
  let latest: T | undefined;
  const listeners = new Set<(value: T) => void>();
  return {
    set(value: T): void {
      latest = value;
      for (const listener of listeners) listener(value);
    },
    subscribe(listener: (value: T) => void): void {
      listeners.add(listener);
      if (latest !== undefined) listener(latest);
    },
  };
}
