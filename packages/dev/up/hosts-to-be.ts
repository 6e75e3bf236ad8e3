import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '@minifleet/world';
import { HOMEBREW_INSTALL_SCRIPT, machO, RUNNER_VERSION, runnerTarball, tartArchive } from '@minifleet/world/mac';

const TART = '2.32.1';

/** What is wanted of every host and, beside that, of builders; with the world's own Tart, runner and what stands for the agent's program. */
export async function writeFleetFile(directory: string, { githubApp }: Pick<World, 'githubApp'>): Promise<string> {
  const folder = join(directory, 'hosts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tart.tar.gz'), tartArchive(TART));
  await writeFile(join(folder, 'tart-kubelet'), machO('tart-kubelet'));
  await writeFile(join(folder, 'actions-runner.tar.gz'), runnerTarball());
  await writeFile(join(folder, 'install-homebrew.sh'), HOMEBREW_INSTALL_SCRIPT);
  const file = join(folder, 'fleet.yaml');
  await writeFile(file, `${fleetText(true)}\n${builderText(githubApp.organization)}`);
  return file;
}

/** As docs/vm-image-builder.md has it. Labels, and where the runner is registered, a machine says and its forge. */
const builderText = (organization: string): string => `builder:
  homebrewInstaller: install-homebrew.sh
  formulae:
    - { name: hashicorp/tap/packer, version: 1.14.2, pinned: true }
    - { name: crane, pinned: false }
  xcode: { developerDirectory: /Applications/Xcode.app/Contents/Developer }
  buildCache: { directory: /opt/tuist-build-cache, variable: TUIST_MIX_BUILD_ROOT }
  runner:
    url: https://github.com/${organization}
    labels: []
    version: ${RUNNER_VERSION}
    archive: actions-runner.tar.gz
`;

/** A simulated Mac that no fleet has, and the file that says what is wanted of it. */
export interface SpareMac {
  readonly name: string;
  readonly port: number;
  readonly specFile: string;
}

/** Writes a spec file for a Mac that is still in the pool: what is done to hosts by hand is shown with it. */
export async function describeSpareMac(world: World, directory: string): Promise<SpareMac | undefined> {
  const free = world.pool().find(({ name }) => name.startsWith('tuist-pool-'));
  if (!free) return undefined;
  const { name, host } = free;
  const specFile = join(directory, 'hosts', `${name}.yaml`);
  await writeFile(join(directory, 'hosts', `${name}.password`), `${host.mac.options.password}\n`, { mode: 0o600 });
  await writeFile(specFile, specText(name));
  return { name, port: host.ssh.port, specFile };
}

const fleetText = (agent: boolean): string => `tart: { version: ${TART}, archive: tart.tar.gz }
${agent ? 'agent: { binary: tart-kubelet }\n' : ''}egress:
  allow: [{ to: 10.96.0.10, ports: '53', protocols: [tcp, udp] }]
localNetwork: false # takes force only after a reboot, which a demonstration does not wait for`;

/** Without an agent: a Mac that is nobody's joins no cluster. */
const specText = (
  name: string,
): string => `# What is wanted of ${name}. Change something, and \`host plan\` says what differs.
fleet:
${fleetText(false).replace(/^/gm, '  ')}
host:
  name: ${name}
  passwordFile: ${name}.password
`;
