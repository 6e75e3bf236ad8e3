import { join } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { ApiError, type Client, type CredentialSources, connectClient, type Log, nodes } from '@minifleet/kube';
import type { Finding } from '../node/finding.ts';
import { certificateFinding, type KeepOptions, KeptCertificate } from './certificate-manager.ts';
import { type Credential, createCertificateStore } from './certificate-store.ts';
import { clientTerms, servingTerms } from './certificate-terms.ts';
import { NODE_CANNOT_JOIN } from './errors.ts';

import { type ClusterSources, clusterOf, ownKubeconfig, readIfPresent, writeOwnKubeconfig } from './node-kubeconfig.ts';
import { createRenewableClient } from './renewable-client.ts';

export interface IdentityOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  /** Where the cluster is, with a bootstrap token; read again whenever it is needed, so that a new token can be put there. */
  readonly bootstrapKubeconfig: string;
  /** Keys, certificates and our own kubeconfig. */
  readonly directory: string;
  /** Names and addresses as they stand on the Node. */
  readonly servingHosts: () => readonly string[];
  readonly expirationSeconds?: number | undefined;
  readonly connect?: ((sources: CredentialSources) => Client) | undefined;
  /** The finding may be another one. */
  readonly onChange?: (() => void) | undefined;
}

/** Who this node is: a client certificate to ask with, a serving certificate to answer with, both renewed in time. */
export interface NodeIdentity {
  /** Speaks as the node once joined; connections change with the certificate, callers do not notice. */
  readonly client: Client;
  /** For people on the host: `kubectl --kubeconfig`. */
  readonly kubeconfig: string;
  readonly joined: Promise<void>;
  finding(): Finding;
  /** Calls back with the certificate in use, now if there is one, and whenever it is replaced. */
  onServingCredential(listener: (credential: Credential) => void): void;
  /** The Node's addresses may have changed. */
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
  const serving = createLatest<Credential>();

  const asking = keep(options, 'client', {
    terms: () => clientTerms(nodeName),
    client: valid => (valid ? own.client : bootstrap.open()),
    onCredential: ({ certificate, key }) => {
      own.use(connect({ ...cluster(), certificate: { data: certificate }, key: { data: key } }));
      void bootstrap.close();
    },
    onChange: () => {
      if (asking.view.valid) joined.resolve();
      options.onChange?.();
    },
  });
  const answering = keep(options, 'serving', {
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
      if (await isUnknownTo(own.client, nodeName)) asking.distrust();
      await answering.run(signal);
    };
    const stopped = asking.run(signal).finally(joined.resolve);
    await Promise.all([stopped, afterJoining()]);
    await Promise.all([bootstrap.close(), own.client.close()]);
  }

  return {
    client: own.client,
    kubeconfig,
    joined: joined.promise,
    finding: () => certificateFinding(asking.view, answering.view),
    onServingCredential: listener => serving.subscribe(listener),
    addressesChanged: () => answering.recheck(),
    async run(signal) {
      const ended = run(signal);
      ended.catch(joined.reject); // whoever waits to join does not wait for ever
      await ended;
    },
  };
}

type KeepParts = Pick<KeepOptions, 'terms' | 'client' | 'onCredential' | 'onChange'>;

const keep = (options: IdentityOptions, name: 'client' | 'serving', parts: KeepParts): KeptCertificate =>
  new KeptCertificate({
    ...parts,
    clock: options.clock,
    log: options.log.child({ certificate: name }),
    store: createCertificateStore({ directory: options.directory, name }),
    expirationSeconds: options.expirationSeconds,
  });

/** Whether the cluster refuses our certificate as such: it is another cluster's, from before this host was given away. */
async function isUnknownTo(client: Client, nodeName: string): Promise<boolean> {
  try {
    await client.find(nodes, { name: nodeName });
    return false;
  } catch (error) {
    return error instanceof ApiError && error.code === 401;
  }
}

/** The cluster as the bootstrap kubeconfig says, which an operator can change; without it, as we remember it. Read once. */
function rememberCluster({ bootstrapKubeconfig }: IdentityOptions, kubeconfig: string): () => ClusterSources {
  let cluster: ClusterSources | undefined;
  return () => {
    const sources = cluster ?? readIfPresent(bootstrapKubeconfig) ?? readIfPresent(kubeconfig);
    if (!sources) throw NODE_CANNOT_JOIN({ path: bootstrapKubeconfig });
    cluster = clusterOf(sources);
    return cluster;
  };
}

/** Speaks with the bootstrap token, anew for each try: the last token may have expired and another been put in its place. */
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
