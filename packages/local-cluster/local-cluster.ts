/** A running cluster: access, control over its components, and its end. */

import { type ClusterPlan, type Component, kubeconfigFile, serverUrl } from './components/component.ts';
import type { RunningComponent } from './components/running-component.ts';
import { componentAbsent } from './errors.ts';
import { type Kubeconfig, writeKubeconfig } from './kubeconfig.ts';
import type { KeyPair } from './pki/certificate-authority.ts';
import type { Watchdog } from './processes/watchdog.ts';

type LocalClusterOptions = {
  plan: ClusterPlan;
  kubeconfigs: { readonly admin: Kubeconfig; readonly capi: Kubeconfig };
  components: readonly RunningComponent[];
  watchdog: Watchdog;
};

export class LocalCluster {
  /** URL of the API server on loopback. */
  readonly server: string;
  /** Logs, keys and data; removed by stop(). */
  readonly directory: string;
  /** PEM of the authority that signs serving and client certificates. */
  readonly certificateAuthority: string;
  readonly kubeconfigs: LocalClusterOptions['kubeconfigs'];
  readonly #options: LocalClusterOptions;
  #stopped: Promise<void> | undefined;

  constructor(options: LocalClusterOptions) {
    this.#options = options;
    this.server = serverUrl(options.plan);
    this.directory = options.plan.directory;
    this.certificateAuthority = options.plan.pki.authorities.cluster.certificate;
    this.kubeconfigs = options.kubeconfigs;
  }

  /** For fault tests: restarts, pauses, resumes or kills one component. */
  component(name: Component): RunningComponent {
    const { components } = this.#options;
    const component = components.find(candidate => candidate.name === name);
    if (component === undefined)
      throw componentAbsent(
        name,
        components.map(present => present.name),
      );
    return component;
  }

  get components(): readonly RunningComponent[] {
    return this.#options.components;
  }

  /** Returns the identity of a node, which the Node authorizer and NodeRestriction limit to its own objects. */
  nodeKubeconfig(nodeName: string): Promise<Kubeconfig> {
    return this.userKubeconfig(`system:node:${nodeName}`, ['system:nodes']);
  }

  /** Returns the identity of any user in any groups; RBAC decides about its permissions. */
  userKubeconfig(user: string, groups: readonly string[] = []): Promise<Kubeconfig> {
    const { plan } = this.#options;
    const authority = plan.pki.authorities.cluster;
    const client = authority.issue({ commonName: user, organizations: groups, usages: ['client'] });
    return writeUserKubeconfig(plan, user, client);
  }

  /** Ends every process and removes every file. May be called more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    // In reverse order: clients of the API server end before it, and etcd ends last.
    const clients = this.components.filter(({ name }) => name !== 'etcd' && name !== 'kube-apiserver');
    await Promise.all(clients.map(component => component.stop()));
    for (const name of ['kube-apiserver', 'etcd'] as const) {
      await this.components.find(component => component.name === name)?.stop();
    }
    await this.#options.watchdog.close();
  }
}

/** User names may have characters that are invalid in file names; the file name stays recognizable. */
export function writeUserKubeconfig(plan: ClusterPlan, user: string, client: KeyPair): Promise<Kubeconfig> {
  return writeKubeconfig({
    path: kubeconfigFile(plan, user.replaceAll(/[^\w.-]/g, '-')),
    user,
    server: serverUrl(plan),
    certificateAuthority: plan.pki.authorities.cluster.certificate,
    client,
  });
}
