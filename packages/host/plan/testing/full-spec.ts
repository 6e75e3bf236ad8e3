import { Secret } from '@minifleet/secret';
import { machO, macParts, tartArchive, tartPart } from '@minifleet/world/mac';
import { builderOf, HOMEBREW_INSTALL_SCRIPT, installXcode } from '@minifleet/world/testing/mac';
import type { Artifact } from '../../host.ts';
import { artifactOf } from '../../steps/actions-runner/testing/artifact.ts';
import { archiveOf } from '../../steps/actions-runner/testing/runner-host.ts';
import { PASSWORD, type TestHost, testHost } from '../../testing/index.ts';
import type { HostSpec } from '../host-spec.ts';

const TOKEN = 'AAREGTOKEN';
const RUNNER = archiveOf();
const PACKER = '1.14.2';

/** With every optional field there is: one that is added to the spec and not here does not compile. */
type Complete<T> = T extends Secret | Artifact | readonly unknown[] | string | number | boolean
  ? T
  : { readonly [Field in keyof T]-?: Complete<Exclude<T[Field], undefined | false>> };

/** A spec in which every field has a value. */
export const fullSpec: Complete<HostSpec> = {
  fleet: {
    agent: { binary: artifactOf('tart-kubelet', machO('agent one')), hostCpu: 8, hostMemoryMb: 16_384, maxPods: 2 },
    tart: { version: '2.32.1', archive: artifactOf('tart.tar.gz', tartArchive('2.32.1')) },
    egress: {
      guests: { v4: '192.168.64.0/22', v6: 'fd64::/64' },
      blocked: { v4: ['10.0.0.0/8', '172.16.0.0/12'], v6: ['fc00::/7'] },
      allow: [{ to: '10.96.0.10', ports: '53', protocols: ['tcp'] }],
    },
    localNetwork: ['10.0.0.0/8', '192.168.0.0/16'],
    guestLeaseSeconds: 300,
    logRotation: { files: ['/var/log/tart-kubelet.log'], maxBytes: 10_000_000, keep: 3 },
    labels: { 'tuist.dev/fleet': 'runners' },
    builder: {
      homebrewInstaller: artifactOf('install.sh', HOMEBREW_INSTALL_SCRIPT),
      formulae: [{ name: 'hashicorp/tap/packer', version: PACKER, pinned: true }],
      xcode: { developerDirectory: '/Applications/Xcode.app/Contents/Developer' },
      buildCache: { directory: '/opt/tuist-build-cache', variable: 'TUIST_MIX_BUILD_ROOT' },
      runner: { url: 'https://github.com/acme', labels: ['vm-image-builder'], version: '2.330.0', archive: RUNNER },
    },
  },
  host: {
    name: 'mini-01',
    user: 'm1',
    password: new Secret('password', PASSWORD),
    kubeconfig: new Secret('kubeconfig', 'apiVersion: v1\nkind: Config\n'),
    providerId: 'scw-applesilicon://fr-par-1/1',
    labels: { 'tuist.dev/role': 'builder' },
    runnerToken: new Secret('runner token', TOKEN),
  },
};

/** A Mac on which all of it can be had; `directory` is for what Tart would leave. */
export function fullHost(directory: string, accepts = { password: PASSWORD, token: TOKEN }): TestHost {
  const { password } = accepts;
  const made = testHost({ parts: [tartPart(directory), ...macParts], passwordlessSudo: false, password });
  installXcode(made.mac);
  builderOf(made.mac).forge = {
    register: async ({ token }) => (token === accepts.token ? { id: 7 } : { status: 404, message: 'Not Found' }),
    unregister: async () => undefined,
    online: () => undefined,
    offline: () => undefined,
  };
  return made;
}
