/** Starts a real Kubernetes on loopback and returns when all requested components are ready. */
import path from 'node:path';
import { findBinaries } from './binaries/find-binaries.ts';
import type { ProgramName } from './binaries/program.ts';
import { bringUp } from './bring-up.ts';
import { COMPONENTS, type Component, type Flags, OPTIONAL_COMPONENTS } from './components/component.ts';
import { readEnvironment } from './environment.ts';
import { LocalClusterError } from './errors.ts';
import type { LocalCluster } from './local-cluster.ts';
import { type Reporter, silentReporter } from './progress/reporter.ts';

export type StartLocalClusterOptions = {
  /** Default: all of COMPONENTS. etcd and the API server always run. */
  components?: readonly Component[];
  /** Programs to fetch together with those of the components, so that progress and estimate cover both. */
  tools?: readonly ProgramName[];
  reporter?: Reporter;
  /** Addresses besides loopback at which hosts reach the API server. It then listens on every interface. */
  serverAddresses?: readonly string[];
  /** Additional flags by component, without the dashes; they override the defaults. */
  extraFlags?: Partial<Record<Component, Flags>>;
};

const ATTEMPTS = 3;

export async function startLocalCluster(options: StartLocalClusterOptions = {}): Promise<LocalCluster> {
  const { reporter = silentReporter, serverAddresses = [], extraFlags = {} } = options;
  const components = withRequired(options.components ?? COMPONENTS);
  const binaries = await findBinaries({ programs: [...programsFor(components), ...(options.tools ?? [])], reporter });
  const { temporaryDirectory, cacheDirectory } = readEnvironment();
  const places = { temporaryDirectory, failureDirectory: path.join(cacheDirectory, 'last-failure') };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await bringUp({ components, binaries, reporter, serverAddresses, extraFlags, ...places });
    } catch (error) {
      // Another process may have taken a port between its selection and its use. All ports are then selected again.
      if (attempt === ATTEMPTS || !portWasTaken(error)) throw error;
      reporter.note('another process took a port; restarting on other ports');
    }
  }
}

function withRequired(components: readonly Component[]): Component[] {
  return [...COMPONENTS, ...OPTIONAL_COMPONENTS].filter(
    name => name === 'etcd' || name === 'kube-apiserver' || components.includes(name),
  );
}

function programsFor(components: readonly Component[]): ProgramName[] {
  return components.includes('capi-core') ? [...components, 'capi-manifests'] : [...components];
}

function portWasTaken(error: unknown): boolean {
  return error instanceof LocalClusterError && error.message.includes('address already in use');
}
