import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_FILE, defaultFleetFile, TART } from '@minifleet/spec-file';
import type { World } from '@minifleet/world';
import { HOMEBREW_INSTALL_SCRIPT, machO, RUNNER_VERSION, runnerTarball, tartArchive } from '@minifleet/world/mac';
import { stringify } from 'yaml';

/** Writes the desired state of hosts and builders, with Tart and runner of the world and a placeholder for the agent's executable. */
export async function writeFleetFile(directory: string, { githubApp }: Pick<World, 'githubApp'>): Promise<string> {
  const folder = join(directory, 'hosts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, TART.file), tartArchive(TART.version));
  await writeFile(join(folder, AGENT_FILE), machO('tart-kubelet'));
  await writeFile(join(folder, 'actions-runner.tar.gz'), runnerTarball());
  await writeFile(join(folder, 'install-homebrew.sh'), HOMEBREW_INSTALL_SCRIPT);
  const file = join(folder, 'fleet.yaml');
  await writeFile(file, `${fleetText(true)}\n${builderText(githubApp.organization)}`);
  return file;
}

/** The builder section of docs/vm-image-builder.md. Runner labels and URL come from the machine and its GitHub. */
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

/** A simulated Mac without a fleet, and its spec file. */
export interface SpareMac {
  readonly name: string;
  readonly port: number;
  readonly specFile: string;
}

/** Writes a spec file for a Mac that is still in the pool, for converging it by hand. */
export async function writeSpareMacFile(world: World, directory: string): Promise<SpareMac | undefined> {
  const free = world.pool().find(({ name }) => name.startsWith('tuist-pool-'));
  if (!free) return undefined;
  const { name, host } = free;
  const specFile = join(directory, 'hosts', `${name}.yaml`);
  await writeFile(join(directory, 'hosts', `${name}.password`), `${host.mac.options.password}\n`, { mode: 0o600 });
  await writeFile(specFile, specText(name));
  return { name, port: host.ssh.port, specFile };
}

/** The default of the chart, with the DNS service of the local cluster allowed. */
function fleetText(withAgent: boolean): string {
  const { agent, tart } = defaultFleetFile('.');
  return `${stringify(withAgent ? { agent, tart } : { tart })}egress:
  allow: [{ to: 10.96.0.10, ports: '53', protocols: [tcp, udp] }]
localNetwork: false # takes effect only after a reboot, which is omitted here`;
}

/** Without an agent, because a Mac without a fleet joins no cluster. */
const specText = (
  name: string,
): string => `# Desired state of ${name}. Change a field, and \`host plan\` shows the difference.
fleet:
${fleetText(false).replace(/^/gm, '  ')}
host:
  name: ${name}
  passwordFile: ${name}.password
`;
