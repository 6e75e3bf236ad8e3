import { minutes, seconds } from '@minifleet/clock';
import type { BuilderSpec } from '@minifleet/host';
import type { ProviderSettings } from '../../settings/settings.ts';

export const POOL = 'tuist-pool-';

/** Settings of a provider with one fleet, mostly defaults. */
export const settings: ProviderSettings = {
  namespace: undefined,
  watchFilter: undefined,
  defaultPoolPrefix: POOL,
  fleet: {},
  agentVersion: '1.0.0',
  bootstrap: { concurrency: 4, deadline: minutes(60), rebootAfter: 3, giveUpAfter: 8 },
  inspection: { every: minutes(10) },
  rolls: { maxUnavailable: 1, retryAfter: minutes(30) },
  rejoinAfter: minutes(5),
  tokenLife: minutes(30),
  leaseNamespace: 'minifleet-system',
  discovery: { every: minutes(1), zones: ['fr-par-1'], reclaim: false },
  stuckAfter: minutes(10),
  clusterKubeconfig: { serviceAccount: { namespace: 'minifleet-system', name: 'capi-remote' }, life: seconds(3600) },
};

const artifact = (name: string) => ({
  name,
  sha256: '0'.repeat(64),
  async *open() {
    yield new Uint8Array();
  },
});

/** Builder settings of a fleet file. */
export const builder: BuilderSpec = {
  homebrewInstaller: artifact('install.sh'),
  formulae: [],
  xcode: { developerDirectory: '/Applications/Xcode.app/Contents/Developer' },
  buildCache: { directory: '/opt/build-cache', variable: 'BUILD_ROOT' },
  runner: { url: 'https://github.com/acme', labels: ['macos'], version: '2.330.0', archive: artifact('runner.tar.gz') },
};
